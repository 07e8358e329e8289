/** The section `services:` of the configuration file: what every service has, and the keys of each. */
import { z } from 'zod';
import type { Service } from '../services/service.ts';
import { network, NETWORK_IS_OPTIONAL } from './schema-network.ts';
import {
  address,
  bound,
  budget,
  duration,
  maxDownload,
  secretSource,
  url,
} from './schema-values.ts';
import { allServices } from '../services/registry.ts';

const OPTIONAL = {
  budget: true,
  maxDownload: true,
  maxOpen: true,
  poll: true,
  ...NETWORK_IS_OPTIONAL,
} as const;

function describeSchema(service: Service) {
  const { kinds, url: place, secrets, pace, config } = service;
  const { windows, maxOpen, example, description: allows } = service.budget;
  const sources = Object.entries(secrets).map(([key, { description, env, example }]) => [
    key,
    secretSource.meta({
      description,
      default: { env },
      ...(example !== undefined && { examples: [{ file: example }] }),
    }),
  ]);
  const schema = z.strictObject({
    url: (place.default === undefined ? url : url.default(place.default)).meta({
      description: `${place.description ?? 'Address of the service'}: ${address}.`,
      ...(place.example !== undefined && { examples: [place.example] }),
    }),
    ...(Object.fromEntries(sources) as Record<string, typeof secretSource>),
    budget: budget.meta({
      description: `${allows ?? 'Maximum number of jobs in a rolling window.'} Several windows hold at once.`,
      default: windows.length === 0 ? 'none' : windows.length === 1 ? windows[0] : windows,
      ...(example !== undefined && { examples: [example] }),
    }),
    ...config.shape,
    maxDownload,
    maxOpen: bound.meta({
      description:
        'Maximum number of jobs that the service has accepted and that have not ended. Other jobs wait on this side, not in the queue of the service.',
      default: maxOpen ?? 'none',
      examples: [50, 'none'],
    }),
    poll: describePoll(pace),
    ...network,
  });
  const sourced = Object.fromEntries(Object.keys(secrets).map((key) => [key, true]));
  const optional = { ...OPTIONAL, ...sourced };
  const names = kinds.map(({ name }) => name);
  const listed =
    names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const description = `The service for rows of kind ${listed}.`;
  return schema.partial(optional).meta({ description });
}

function describePoll({ every, atMost }: Service['pace']) {
  return z
    .strictObject({
      every: duration.meta({
        description: 'Between two status requests for a young job. A bare number is milliseconds.',
        default: every,
        examples: ['10s'],
      }),
      atMost: duration.meta({
        description:
          'The same for an old one: the interval grows to a tenth of the age of the job.',
        default: atMost,
        examples: ['5m'],
      }),
    })
    .partial()
    .meta({
      description: 'How often a job is polled. The service may request longer intervals.',
      examples: [{ every: '30s', atMost: '10m' }],
    });
}

/** Of all services that are known now: those of plugins are loaded first. */
export function describeServices() {
  return z
    .strictObject(
      Object.fromEntries(allServices().map((service) => [service.name, describeSchema(service)])),
    )
    .partial();
}
