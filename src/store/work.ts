/**
 * What a job computes, independent of the row (equal work is submitted once, and its result delivered to every row that
 * requests it), with which options, and under which name; and how names of keys are written: `remoteId` ↔ `remote_id`.
 */
import { createHash, hash } from 'node:crypto';
import { z } from 'zod';
import type { Item, Kind, Options } from '../domain/item.ts';
import { toAscii } from '../domain/name.ts';
import { createSchema } from '../kinds/kind.ts';
import { findKind } from '../kinds/registry.ts';
import { findServiceOfKind } from '../services/registry.ts';
import { findMaxNameLength } from '../services/service.ts';

/**
 * SHA-256 of kind and its version, canonical input and options. They are left out if rows that differ in them can share a job
 * (`KindDefinition.share`): it runs all that are requested.
 */
export function computeWorkDigest({
  kind,
  canonical,
  options,
}: Pick<Item, 'kind' | 'canonical' | 'options'>): string {
  const { share, version = 1 } = findKind(kind);
  const settings = share ? '{}' : JSON.stringify(serializeOptions(options));
  const name = version === 1 ? kind : `${kind}@${version}`;
  return hash('sha256', `${name} ${settings}\n${canonical}`);
}

/** Identifies the rows that share work; unique for a row that adopts a job, which is its own. */
export function shareDigest(item: Item): string {
  const { adopts, kind } = item;
  return adopts ? hash('sha256', `adopted ${kind}\n${adopts.remoteId}`) : computeWorkDigest(item);
}

/** Digests of jobs depend on the order of the options. */
function createKindSchema(kind: Kind): z.ZodObject {
  let schema = schemas.get(kind);
  if (schema === undefined) {
    const columns = Object.values(findKind(kind).options);
    const keys = columns.map((column): [string, z.ZodType] => [column.key, createSchema(column)]);
    schemas.set(kind, (schema = z.object(Object.fromEntries(keys))));
  }
  return schema;
}

const schemas = new Map<Kind, z.ZodObject>();

/** As stored in item.json: the manifest's own column names. */
export function serializeOptions(options: Options): Readonly<Record<string, unknown>> {
  return toSnakeKeys(createKindSchema(options.kind).parse(options));
}

/** @throws z.ZodError when a value is missing or not allowed */
export function parseOptions(kind: Kind, disk: unknown): Options {
  const stored = new Map(Object.entries(disk as object));
  const keys = Object.values(findKind(kind).options).map(({ key }) => key);
  const values = keys.map((key) => [key, stored.get(toSnakeCase(key))] as const);
  return { kind, ...createKindSchema(kind).parse(Object.fromEntries(values)) };
}

/** Characters, where a name finds no job. */
const MAX_NAME = 120;
/** Hexadecimal digits. */
const DIGEST_DIGITS = 16;
/** Characters. */
const MAX_LABEL = 48;

interface NamedJob {
  readonly id: string;
  readonly jobNumber: number;
  /** Of the input. */
  readonly sha256: string;
  readonly options: Options;
  /** Of `chooseJobLabel`; null without one. */
  readonly label: string | null;
}

/**
 * The name of a job at the service: `CAMPAIGN.ID.LABEL.DIGEST`. The digest alone makes a name unique for the credential. It
 * is the same whenever the same item with the same input is submitted, so that it works as an idempotency key. `retry`
 * keeps it as long as a job of this name may be usable, and otherwise takes the next job number (retry.ts). The parts
 * before it are for people who read the service's list.
 *
 * The label is stored in item.json when the item starts, and not read from the manifest again: an edited title would
 * change the name, and the look-up for a lost answer would miss the job.
 *
 * @param longest characters that the service keeps; null: a name finds no job there
 */
export function nameOfJob(campaign: string, job: NamedJob, longest: number | null): string {
  const { id, jobNumber, sha256, options, label } = job;
  const digest = createHash('sha256')
    .update(JSON.stringify([campaign, id, jobNumber, sha256, options]))
    .digest('hex')
    .slice(0, DIGEST_DIGITS);
  const named = toAscii(campaign).replace(/[^A-Za-z0-9._-]+/g, '_');
  const readable = label === null ? `${named}.${id}` : `${named}.${id}.${label}`;
  return `${readable.slice(0, (longest ?? MAX_NAME) - DIGEST_DIGITS - 1)}.${digest}`;
}

/**
 * The part of a title used in the name of its job. ASCII, like the rest of the name: if a list encodes an accent
 * differently, an existing job would not be found and would be paid for again. Null if nothing remains, and where a
 * name finds no job.
 */
export function chooseJobLabel({ kind, title }: Pick<Item, 'kind' | 'title'>): string | null {
  if (title === null || findMaxNameLength(findServiceOfKind(kind)) === null) return null;
  const label = toAscii(title)
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_LABEL)
    .replace(/_+$/, '');
  return label === '' ? null : label;
}

export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** For the disk. `own`: values whose keys are no names of ours, such as the user's columns: they stay as they are. */
export function toSnakeKeys(
  value: object,
  own: ReadonlySet<string> = new Set(),
): Readonly<Record<string, unknown>> {
  return renameKeys(value, toSnakeCase, own) as Readonly<Record<string, unknown>>;
}

/** The reverse. */
export function toCamelKeys(value: unknown, own: ReadonlySet<string>): unknown {
  return renameKeys(value, toCamelCase, own);
}

function renameKeys(
  value: unknown,
  rename: (name: string) => string,
  own: ReadonlySet<string>,
): unknown {
  if (Array.isArray(value)) return value.map((one) => renameKeys(one, rename, own));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const inner: unknown = own.has(name) ? one : renameKeys(one, rename, own);
    return [rename(name), inner] as const;
  });
  return Object.fromEntries(entries);
}
