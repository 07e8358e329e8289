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
  budget: true,
  maxDownload: true,
  maxOpen: true,
  statusRequests: true,
  ...NETWORK_IS_OPTIONAL,
} as const;

function describeSchema({ kinds, url: place, secrets, budget, config }: Service) {
  const sources = Object.entries(secrets).map(([key, { description, env, example }]) => [
    key,
    secretSource.meta({
      description,
      default: { env },
      ...(example !== undefined && { examples: [{ file: example }] }),
    }),
  ]);
  const schema = z.strictObject({
    url: url.meta({
      description: `${place.description ?? 'Address of the service'}: ${address}.`,
      ...(place.default !== undefined && { default: place.default }),
      ...(place.example !== undefined && { examples: [place.example] }),
    }),
    ...(Object.fromEntries(sources) as Record<string, typeof secretSource>),
    budget: limit.meta({
      description: budget.description ?? 'Maximum number of jobs in a rolling window.',
      default: budget.windows[0] ?? 'none',
      ...(budget.example !== undefined && { examples: [budget.example] }),
    }),
    ...config.shape,
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
  const left = [...Object.keys(secrets), ...(place.default === undefined ? [] : ['url'])];
  const optional = { ...OPTIONAL, ...Object.fromEntries(left.map((key) => [key, true])) };
  const names = kinds.map(({ name }) => name);
  const listed =
    names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const description = `The service for rows of kind ${listed}.`;
  return schema.partial(optional).meta({ description });
}

export const services = z
  .strictObject(
    Object.fromEntries(ALL_SERVICES.map((service) => [service.name, describeSchema(service)])),
  )
  .partial();
