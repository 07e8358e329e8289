/** An item's options as stored in item.json: the manifest's own column names; and the names of keys there. */
import { z } from 'zod';
import type { Kind, Options } from '../domain/item.ts';
import { schemaOf } from '../kinds/columns.ts';
import { ALL_KINDS } from '../kinds/registry.ts';

/** By kind; digests of jobs depend on the order of the options. */
const OPTIONS = Object.fromEntries(
  ALL_KINDS.map(({ name, options }) => {
    const columns = Object.values(options).map((column) => [column.key, schemaOf(column)]);
    return [name, z.object(Object.fromEntries(columns) as Record<string, z.ZodType>)];
  }),
) as Readonly<Record<Kind, z.ZodObject>>;

export function optionsToDisk(options: Options): Readonly<Record<string, unknown>> {
  return snakeKeys(OPTIONS[options.kind].parse(options));
}

/** @throws z.ZodError when a value is missing or not allowed */
export function optionsFromDisk(kind: Kind, disk: unknown): Options {
  return { kind, ...OPTIONS[kind].parse(camelKeys(disk)) } as Options;
}

/** `remoteId` → `remote_id` */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The keys of this object, not those of objects in it. */
export function snakeKeys(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [snakeCase(name), one]));
}

/** The reverse; anything but an object is returned as it is. */
export function camelKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const camelCase = (name: string) =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [camelCase(name), one]));
}
