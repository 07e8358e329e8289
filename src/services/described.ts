/** What a tree says of the services of plugins, so that it can be read where the plugin is missing: nothing is sent to them. */
import { z } from 'zod';
import type { ShownService } from './registry.ts';

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
