/** The section `services:` of the configuration file: what every service has, and the keys of each. */
import { z } from 'zod';
import { ALL_SERVICES } from '../services/registry.ts';
import type { Service } from '../services/service.ts';
import { network, NETWORK_IS_OPTIONAL } from './schema-network.ts';
import { address, bound, limit, maxDownload, secretSource, url } from './schema-values.ts';

const statusRequests = bound.meta({
  description:
    'Maximum number of status requests per second from one worker to this service, for all jobs together.',
  default: 5,
  examples: [1, 'none'],
});

const OPTIONAL = {
  token: true,
  budget: true,
  maxDownload: true,
  maxOpen: true,
  statusRequests: true,
  ...NETWORK_IS_OPTIONAL,
} as const;

function describeSchema({ setup }: Service) {
  const { token, budget, keys } = setup;
  const own = keys as Readonly<Record<string, z.ZodType>>;
  const schema = z.strictObject({
    url: url.meta({
      description: `${setup.url.description}: ${address}.`,
      examples: [setup.url.example],
    }),
    token: secretSource.meta({
      description: token.description,
      default: { env: token.variable },
      examples: [{ file: token.example }],
    }),
    budget: limit.meta({
      description: budget.description,
      default: budget.windows[0] ?? 'none',
      examples: [budget.example],
    }),
    ...own,
    maxDownload,
    maxOpen: bound.meta({
      description:
        'Maximum number of jobs that the service has accepted and that have not ended. Other jobs wait on this side, not in the queue of the service.',
      default: budget.maxOpen ?? 'none',
      examples: [50, 'none'],
    }),
    statusRequests,
    ...network,
  });
  const optional = {
    ...OPTIONAL,
    ...Object.fromEntries(Object.keys(own).map((key) => [key, true])),
  };
  return schema.partial(optional).meta({ description: setup.description });
}

export const services = z
  .strictObject(
    Object.fromEntries(ALL_SERVICES.map((service) => [service.name, describeSchema(service)])),
  )
  .partial();
