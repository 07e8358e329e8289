/** The services by name; those of plugins follow. */
import type { Kind, ServiceName } from '../domain/campaign.ts';
import { type ClientSettings, makeClient, type ServiceClient } from './client.ts';
import { molecules } from './molecules.ts';
import { predictions } from './predictions.ts';
import type { Service } from './service.ts';
import { z } from 'zod';

const known = new Map<ServiceName, Service>(
  [molecules, predictions].map((service) => [service.name, service as Service]),
);

const own: ReadonlySet<ServiceName> = new Set(known.keys());

/** Whether it is one of ours, and not of a plugin. */
export function isOwnService(name: ServiceName): boolean {
  return own.has(name);
}

export function listServices(): readonly Service[] {
  return [...known.values()];
}

export function listServiceNames(): readonly ServiceName[] {
  return [...known.keys()];
}

/** @throws RangeError if there is no such service */
export function findService(name: ServiceName): Service {
  const service = known.get(name);
  if (service === undefined) throw new RangeError(`there is no service "${name}"`);
  return service;
}

/** What is shown of a service whose results are read. */
type ShownService = Pick<Service, 'name' | 'title' | 'terms' | 'software'>;

/** Services of plugins as trees describe them, for a process that does not have the plugin: nothing is sent to them. */
const described = new Map<ServiceName, ShownService & { readonly kinds: Set<Kind> }>();

export function registerDescribedService(kind: Kind, service: ShownService): void {
  const kinds = described.get(service.name)?.kinds ?? new Set();
  described.set(service.name, { ...service, kinds: kinds.add(kind) });
}

/** Also of a plugin that this process does not have. @throws RangeError if there is no such service */
export function findShownService(name: ServiceName): ShownService {
  return known.get(name) ?? described.get(name) ?? findService(name);
}

/** The same by a kind that it takes. @throws RangeError if no service takes the kind */
export function findShownServiceOfKind(kind: Kind): ShownService {
  const here = listServices().find((one) => listKindsOf(one).includes(kind));
  return (
    here ?? [...described.values()].find(({ kinds }) => kinds.has(kind)) ?? findServiceOfKind(kind)
  );
}

/** The service that takes a kind. @throws RangeError if none does */
export function findServiceOfKind(kind: Kind): Service {
  const service = listServices().find((one) => listKindsOf(one).includes(kind));
  if (service === undefined) throw new RangeError(`no service takes the kind "${kind}"`);
  return service;
}

/** Names of the kinds that a service takes, in the order of the documentation. */
export function listKindsOf({ kinds }: Service): readonly Kind[] {
  return kinds.map(({ name }) => name);
}

/** Adds the service of a plugin, or replaces an earlier form of it. */
export function registerService(service: Service): void {
  known.set(service.name, service);
}

/** Throws CONFIG_INVALID. */
export function createClient({
  service,
  ...settings
}: ClientSettings & { readonly service: ServiceName }): ServiceClient {
  return makeClient(findService(service), settings);
}

/** What a tree says of the services of plugins, so that it can be read where the plugin is missing: nothing is sent to them. */

export const describedService = z.object({
  name: z.string(),
  title: z.string(),
  terms: z.string(),
  software: z
    .object({
      name: z.string(),
      url: z.string(),
      citation: z.string().exactOptional(),
      version: z.object({ source: z.string(), flags: z.string() }).exactOptional(),
    })
    .nullable(),
});

type DescribedService = z.output<typeof describedService>;

export function describeService({ name, title, terms, software }: ShownService): DescribedService {
  if (software === null) return { name, title, terms, software };
  const { version, ...rest } = software;
  const pattern = version && { version: { source: version.source, flags: version.flags } };
  return { name, title, terms, software: { ...rest, ...pattern } };
}

export function restoreService({ software, ...rest }: DescribedService): ShownService {
  if (software === null) return { ...rest, software };
  const { version, ...same } = software;
  const pattern = version && { version: new RegExp(version.source, version.flags) };
  return { ...rest, software: { ...same, ...pattern } };
}
