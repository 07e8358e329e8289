/**
 * Everything known about an item, stored in its folder as item.json: where it came from, what was sent, every attempt,
 * what came back. A Temporal history only carries its id; this is the record. The schema is the type; on disk its keys
 * are in snake_case (docs/output-tree.md).
 */
import { z } from 'zod';
import {
  ATTEMPT_OUTCOMES,
  type Kind,
  type Options,
  FINAL_STATES,
  OPEN_STATES,
} from '../domain/campaign.ts';
import { ITEM_WARNINGS, type ItemWarningCode } from '../domain/item-ends.ts';
import { createSchema } from '../kinds/kind.ts';
import { findKind } from '../kinds/registry.ts';
import { nameArtefactFile, CONTENT_TYPES, setFolder, parseSet } from './layout.ts';
import { StoreError } from './store.ts';

/** Raised when a reader of the former format would misunderstand the new one. */
const FORMAT = 1;

/** Of a file on disk. */
const digest = {
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};

/** ISO 8601, UTC. */
const time = z.string();
const text = z.string().nullable();
const number = z.number().nullable();
const dictionary = z.record(z.string(), z.string()).readonly();

/** Values whose keys are names of files, the user's columns, or options: they stay as they are. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  'row',
  'user',
  'files',
  'names',
  'options',
  'jobOptions',
  'job_options',
]);

const failure = z.object({
  code: z.string(),
  /** The message of the service, unchanged, if there is one. */
  message: z.string(),
});

const attempt = z.object({
  at: time,
  outcome: z.enum(ATTEMPT_OUTCOMES),
  message: z.string().exactOptional(),
  remoteId: z.string().exactOptional(),
  sentAt: time.exactOptional(),
  answeredAt: time.exactOptional(),
});

/** How the item had ended before `retry` reopened it. */
const earlierEnd = z.object({
  state: z.enum(FINAL_STATES),
  error: failure.nullable(),
  remoteId: text,
  jobName: text,
  submittedAt: time.nullable(),
  finishedAt: time.nullable(),
  /** When it was reopened. */
  retriedAt: time,
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

const recordedInput = z.object({
  name: z.string(),
  ...digest,
  /** The user's input, if a different text is sent instead. */
  original: z.object({ name: z.string(), ...digest }).exactOptional(),
  /** Id of a record in the results → the header that the user wrote. */
  names: dictionary.exactOptional(),
});

const recordedFile = z.object({
  ...digest,
  /** Number of places where the service had repeated a secret that was overwritten; absent if there are none. */
  redacted: z.int().positive().optional(),
});

const resultSource = z.discriminatedUnion('type', [
  /** Another row of the campaign requests the same work: its job serves both. */
  z.object({ type: z.literal('duplicate'), id: z.string() }),
  /** An item of an earlier campaign into the same store. */
  z.object({ type: z.literal('cache'), campaign: z.string(), id: z.string() }),
]);

/** In the order in which they are written. */
const record = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  kind: z.string(),
  state: z.enum([...OPEN_STATES, ...FINAL_STATES]),
  /** Why the item did not succeed; null while it is open or when it succeeded. */
  error: failure.nullable(),
  /** The text that is sent to the service, as a file in the item's folder. */
  input: recordedInput,
  /** As requested by the row. */
  options: z.custom<Options>(),
  /** Those of the job, if it is shared with rows that request more. */
  jobOptions: z.custom<Options>().exactOptional(),
  /** What the job computes (`computeWorkDigest`); null if that is uncertain. */
  work: text,
  /** Origin of the result, if it did not come from a job of this item. */
  resultFrom: resultSource.exactOptional(),
  /** The row names an existing job of the service (`remoteId`): it is polled, and never submitted. */
  adopted: z.object({ inputKnown: z.boolean() }).exactOptional(),
  /** How often the item was restarted, by `retry` or with another input: distinguishes its requests to the budget. */
  generation: z.int().nonnegative(),
  /** Number of the wanted job of this input, from 0: part of its name. `retry` increments it to replace a job. */
  jobNumber: z.int().nonnegative(),
  /** Addresses of the lanes whose machine has failed with it since it was begun or retried; absent if there are none. */
  givenBack: z.array(z.string()).readonly().exactOptional(),
  /** Its earlier ends, oldest first; `attempts` includes the attempts of all of them. */
  earlier: z.array(earlierEnd).readonly(),
  email: text,
  title: text,
  /**
   * The part of the title used in the job's name. Fixed when the item starts, because the title may be edited while a
   * job of that name is searched for; absent without a title.
   */
  jobLabel: z.string().exactOptional(),
  service: z.string(),
  /** The address of the service without credentials, once known. */
  address: text,
  /** The job's identifier at the service (`request_id`, `hash_id`). */
  remoteId: text,
  /** The name the job was submitted under. */
  jobName: text,
  /** Every attempt to submit, oldest first. */
  attempts: z.array(attempt).readonly(),
  /**
   * When the service accepted the job, that is, when its answer was complete, or when a look-up found the job; null for
   * an adopted one, whose `timing` may have it.
   */
  submittedAt: time.nullable(),
  /** Just before the first byte of the POST that made the job, or may have made it; null when unknown. */
  sentAt: time.nullable(),
  /** When the answer to that POST was complete; null if there was none. */
  answeredAt: time.nullable(),
  /** When the item reached a final state. */
  finishedAt: time.nullable(),
  /** The service's own timing block (contract 2.4), as last received. */
  timing: timing.nullable(),
  /** Downloaded files, by file name in the item's folder. */
  files: z.record(z.string(), recordedFile).readonly(),
  /** First line of the manifest row: file as named by the user, line from 1. */
  source: z.object({ file: z.string(), line: z.int() }),
  /** The manifest row as the user wrote it. */
  row: dictionary,
  /** The user's own columns of the row. */
  user: dictionary,
  /** Program and version that computed the result, if known. `synthetic` is never mistaken for science. */
  engine: z.string().exactOptional(),
  // Written for readers; derived from the files.
  warnings: z.unknown().optional(),
});

export type ItemRecord = Readonly<Omit<z.output<typeof record>, 'format' | 'warnings'>>;
export type ItemError = z.output<typeof failure>;
export type RecordedInput = z.output<typeof recordedInput>;
export type ResultSource = z.output<typeof resultSource>;

const NOT_CHECKED =
  'Input and options of the job are not known: the result was not compared with them, and `options` are those of the row or the defaults.';

/** The text of item.json. */
export function serializeItem(item: ItemRecord): string {
  const { jobOptions, adopted } = item;
  const warnings = listWarnings(item);
  const values: Readonly<Record<string, unknown>> = {
    ...item,
    format: FORMAT,
    options: serializeOptions(item.options),
    jobOptions: jobOptions && serializeOptions(jobOptions),
    // For people.
    adopted: adopted && { ...adopted, ...(!adopted.inputKnown && { notChecked: NOT_CHECKED }) },
    warnings: warnings.length === 0 ? undefined : warnings,
  };
  const ordered = Object.keys(record.shape).map((name) => [name, values[name]] as const);
  const disk = renameKeys(Object.fromEntries(ordered), toSnakeCase);
  return `${JSON.stringify(disk, null, 2)}\n`;
}

/** @throws StoreError `STORE_RECORD_UNREADABLE` */
export function parseItem(json: string, key: string): ItemRecord {
  try {
    const found = record.parse(renameKeys(JSON.parse(json), toCamelCase));
    const { format: _, warnings: __, options, jobOptions, ...same } = found;
    return {
      ...same,
      options: parseOptions(same.kind, options),
      ...(jobOptions !== undefined && { jobOptions: parseOptions(same.kind, jobOptions) }),
    };
  } catch (cause) {
    throw new StoreError(
      'STORE_RECORD_UNREADABLE',
      `${key} is not an item record: ${listFaults(cause).slice(0, 3).join('; ')}.`,
      'Restore the file from a copy, or remove it and run the "hundredfold run" command again: the item then runs from the beginning.',
      { cause },
    );
  }
}

function listFaults(cause: unknown): readonly string[] {
  if (!(cause instanceof z.ZodError))
    return [cause instanceof Error ? cause.message : String(cause)];
  return cause.issues.map(({ path, message }) => {
    const name = path.map((part) => toSnakeCase(String(part))).join('.');
    return `${name || 'record'}: ${message}`;
  });
}

/** Options that the job computes: rows that share it may together request more than each of them. */
export function readJobOptions({ options, jobOptions }: ItemRecord): Options {
  return jobOptions ?? options;
}

/** About an item that has succeeded. */
interface ItemWarning {
  readonly code: ItemWarningCode;
  readonly message: string;
}

/** Derived from the record, so that they apply to copies too. */
export function listWarnings(record: Warned): readonly ItemWarning[] {
  return [...warnSeveralSets(record), ...warnFilesAbsent(record)];
}

type Warned = Pick<ItemRecord, 'files' | 'kind' | 'state'>;

function warnSeveralSets({ files }: Warned): readonly ItemWarning[] {
  const others = [...new Set(Object.keys(files).map(parseSet))].filter((set) => set !== null);
  if (others.length === 0) return [];
  const folders = others.sort((a, b) => a - b).map(setFolder);
  const message = ITEM_WARNINGS.RESULT_SEVERAL_SETS.message({ folders });
  return [{ code: 'RESULT_SEVERAL_SETS', message }];
}

function warnFilesAbsent({ files, kind, state }: Warned): readonly ItemWarning[] {
  if (state !== 'succeeded') return [];
  const { artefacts } = findKind(kind);
  const names = Object.keys(artefacts).filter(
    (artefact) =>
      artefacts[artefact]?.presence === 'usual' &&
      !CONTENT_TYPES.some((type) => nameArtefactFile(kind, artefact, type) in files),
  );
  if (names.length === 0) return [];
  const message = ITEM_WARNINGS.RESULT_FILES_ABSENT.message({
    names: names.map((artefact) => nameArtefactFile(kind, artefact, null)),
  });
  return [{ code: 'RESULT_FILES_ABSENT', message }];
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
  const values = createKindSchema(options.kind).parse(options);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [toSnakeCase(key), value]),
  );
}

/** @throws z.ZodError when a value is missing or not allowed */
function parseOptions(kind: Kind, disk: unknown): Options {
  const stored = new Map(Object.entries(disk as object));
  const keys = Object.values(findKind(kind).options).map(({ key }) => key);
  const values = keys.map((key) => [key, stored.get(toSnakeCase(key))] as const);
  return { kind, ...createKindSchema(kind).parse(Object.fromEntries(values)) };
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function renameKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renameKeys(one, rename));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const inner: unknown = OWN_KEYS.has(name) ? one : renameKeys(one, rename);
    return [rename(name), inner] as const;
  });
  return Object.fromEntries(entries);
}
