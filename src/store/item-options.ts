/** An item's options as stored in item.json: the manifest's own column names; and the names of keys there. */
import { z } from 'zod';
import type { Kind, Options } from '../domain/item.ts';
import { schemaOf } from '../kinds/columns.ts';
import { kindOf } from '../kinds/registry.ts';

/** Digests of jobs depend on the order of the options. */
function schemaOfKind(kind: Kind): z.ZodObject {
  let schema = schemas.get(kind);
  if (schema === undefined) {
    const columns = Object.values(kindOf(kind).options);
    const keys = columns.map((column): [string, z.ZodType] => [column.key, schemaOf(column)]);
    schemas.set(kind, (schema = z.object(Object.fromEntries(keys))));
  }
  return schema;
}

const schemas = new Map<Kind, z.ZodObject>();

export function optionsToDisk(options: Options): Readonly<Record<string, unknown>> {
  return snakeKeys(schemaOfKind(options.kind).parse(options));
}

/** @throws z.ZodError when a value is missing or not allowed */
export function optionsFromDisk(kind: Kind, disk: unknown): Options {
  const stored = new Map(Object.entries(disk as object));
  const keys = Object.values(kindOf(kind).options).map(({ key }) => key);
  const values = keys.map((key) => [key, stored.get(snakeCase(key))] as const);
  return { kind, ...schemaOfKind(kind).parse(Object.fromEntries(values)) };
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
