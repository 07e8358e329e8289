/** Converts item.json between memory and disk: snake_case keys, checked when read (docs/output-tree.md). */
import { z } from 'zod';
import { ATTEMPT_OUTCOMES } from '../domain/campaign.ts';
import { FINAL_STATES, OPEN_STATES } from '../domain/states.ts';
import { camelKeys, optionsFromDisk, optionsToDisk, snakeCase, snakeKeys } from './item-options.ts';
import type { ItemRecord } from './item-record.ts';
import { warningsOf } from './item-warnings.ts';
import { type StoreError, storeError } from './store-error.ts';

/** Raised when a reader of the former format would misunderstand the new one. */
const FORMAT = 1;

const digest = {
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};
const text = z.string().nullable();
const number = z.number().nullable();

/** Not `z.record`, which drops a column named `__proto__`. */
function dictionary<T>(value: z.ZodType<T>): z.ZodType<Readonly<Record<string, T>>> {
  return z.custom<Readonly<Record<string, T>>>(
    (found) =>
      typeof found === 'object' &&
      found !== null &&
      !Array.isArray(found) &&
      Object.values(found).every((one) => value.safeParse(one).success),
    'expected an object whose values all have the same shape',
  );
}

/** Of an object with snake_case keys on disk. */
function onDisk<T extends z.ZodType>(shape: T) {
  return z.preprocess(camelKeys, shape);
}

const attempt = z.object({
  at: z.string(),
  outcome: z.enum(ATTEMPT_OUTCOMES),
  message: z.string().exactOptional(),
  remoteId: z.string().exactOptional(),
  sentAt: z.string().exactOptional(),
  answeredAt: z.string().exactOptional(),
});

const timing = z.object({
  queuedAt: text,
  startedAt: text,
  finishedAt: text,
  queueWaitSeconds: number,
  elapsedSeconds: number,
  leftSeconds: number,
  timeLimitSeconds: number,
  heartbeatAgeSeconds: number,
});

const failure = z.object({ code: z.string(), message: z.string() }).nullable();

const earlier = z.object({
  state: z.enum(FINAL_STATES),
  error: failure,
  remoteId: text,
  jobName: text,
  submittedAt: text,
  finishedAt: text,
  retriedAt: z.string(),
});

const resultFrom = z.discriminatedUnion('type', [
  z.object({ type: z.literal('duplicate'), id: z.string() }),
  z.object({ type: z.literal('cache'), campaign: z.string(), id: z.string() }),
]);

/** In the order in which they are written. */
const FIELDS = {
  format: z.literal(FORMAT),
  id: z.string(),
  kind: z.string(),
  state: z.enum([...OPEN_STATES, ...FINAL_STATES]),
  error: failure,
  input: z.object({
    name: z.string(),
    ...digest,
    original: z.object({ name: z.string(), ...digest }).exactOptional(),
    names: dictionary(z.string()).exactOptional(),
  }),
  options: z.unknown(),
  jobOptions: z.unknown().optional(),
  work: text,
  resultFrom: resultFrom.exactOptional(),
  adopted: onDisk(z.object({ inputKnown: z.boolean() })).exactOptional(),
  generation: z.int().nonnegative(),
  jobNumber: z.int().nonnegative(),
  earlier: z.array(onDisk(earlier)),
  email: text,
  title: text,
  jobLabel: z.string().exactOptional(),
  service: z.string(),
  address: text,
  remoteId: text,
  jobName: text,
  attempts: z.array(onDisk(attempt)),
  submittedAt: text,
  sentAt: text,
  answeredAt: text,
  finishedAt: text,
  timing: onDisk(timing.nullable()),
  files: dictionary(z.object({ ...digest, redacted: z.int().positive().optional() })),
  source: z.object({ file: z.string(), line: z.int() }),
  row: dictionary(z.string()),
  user: dictionary(z.string()),
  engine: z.string().exactOptional(),
  // Written for readers; derived from the files.
  warnings: z.unknown().optional(),
};

const record = onDisk(z.object(FIELDS));

/** The text of item.json. */
export function itemToDisk(item: ItemRecord): string {
  const warnings = warningsOf(item);
  const values: Readonly<Record<keyof typeof FIELDS, unknown>> = {
    jobLabel: undefined,
    resultFrom: undefined,
    engine: undefined,
    ...item,
    format: FORMAT,
    options: optionsToDisk(item.options),
    jobOptions: item.jobOptions && optionsToDisk(item.jobOptions),
    adopted: item.adopted && adoptedToDisk(item.adopted),
    earlier: item.earlier.map(snakeKeys),
    attempts: item.attempts.map(snakeKeys),
    timing: item.timing && snakeKeys(item.timing),
    warnings: warnings.length === 0 ? undefined : warnings,
  };
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  const disk = Object.fromEntries(names.map((name) => [snakeCase(name), values[name]]));
  return `${JSON.stringify(disk, null, 2)}\n`;
}

const NOT_CHECKED =
  'Input and options of the job are not known: the result was not compared with them, and `options` are those of the row or the defaults.';

/** `not_checked` is for people. */
function adoptedToDisk({ inputKnown }: NonNullable<ItemRecord['adopted']>) {
  return { input_known: inputKnown, ...(!inputKnown && { not_checked: NOT_CHECKED }) };
}

/** @throws StoreError `STORE_RECORD_UNREADABLE` */
export function itemFromDisk(json: string, key: string): ItemRecord {
  try {
    const {
      format: _,
      warnings: __,
      options,
      jobOptions,
      ...same
    } = record.parse(JSON.parse(json));
    return {
      ...same,
      options: optionsFromDisk(same.kind, options),
      ...(jobOptions !== undefined && { jobOptions: optionsFromDisk(same.kind, jobOptions) }),
    };
  } catch (cause) {
    throw unreadable(key, cause);
  }
}

function unreadable(key: string, cause: unknown): StoreError {
  const where =
    cause instanceof z.ZodError
      ? cause.issues.map(
          ({ path, message }) => `${path.map(nameOnDisk).join('.') || 'record'}: ${message}`,
        )
      : [cause instanceof Error ? cause.message : String(cause)];
  return storeError('STORE_RECORD_UNREADABLE', { case: 'item', key, faults: where }, cause);
}

function nameOnDisk(name: PropertyKey): string {
  return snakeCase(String(name));
}
