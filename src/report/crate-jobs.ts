/**
 * The jobs in a crate: one CreateAction each, as required by the profile Process Run Crate
 * (https://w3id.org/ro/wfrun/process/0.5). Short, because there are as many as items.
 *
 * 10,000 items make 7 MB. Rejected: a detached file for the jobs, which no validator follows.
 */
import type { ServiceName } from '../domain/item.ts';
import { optionsToDisk } from '../store/work.ts';
import { jobOptionsOf, type ItemRecord } from '../store/item-record.ts';
import { itemFolder } from '../store/layout.ts';
import type { Entity } from './crate-files.ts';
import { crateVersion, engineEntity } from './crate-software.ts';

export const PROFILE: Entity = {
  '@id': 'https://w3id.org/ro/wfrun/process/0.5',
  '@type': ['CreativeWork', 'Profile'],
  name: 'Process Run Crate',
  version: '0.5',
};

/** The profile requires the person who ran the jobs, which only the user can add. */
export const AGENT: Entity = {
  '@id': '#agent',
  '@type': 'Person',
  name: 'Who ran the campaign is not stated',
};

export const STATUS = {
  completed: 'http://schema.org/CompletedActionStatus',
  failed: 'http://schema.org/FailedActionStatus',
  active: 'http://schema.org/ActiveActionStatus',
} as const;

interface JobEntities {
  readonly input: Entity;
  readonly action: Entity;
}

/** Describes the jobs one by one, and each version of an engine once. */
export class CrateJobs {
  /** The ids of the actions so far. */
  readonly ids: string[] = [];
  readonly #engines = new Set<string>();

  /** Null for an item without its own job. The message of a failure takes at most twice `textBytes`. */
  next(record: ItemRecord | null, textBytes: number): JobEntities | null {
    if (record === null || !hasJob(record)) return null;
    return {
      input: inputEntity(record),
      action: actionOf(this.ids.length + 1, record, 2 * textBytes),
    };
  }

  /** Counts the job, and describes its engine, unless an earlier job has it. */
  add(record: ItemRecord | null): Entity | null {
    if (record === null || !hasJob(record)) return null;
    this.ids.push(jobId(this.ids.length + 1));
    const engine = engineOf(record);
    if (engine === null || this.#engines.has(engine['@id'])) return null;
    this.#engines.add(engine['@id']);
    return engine;
  }
}

function jobId(number: number): string {
  return `#job-${number}`;
}

function engineOf(record: ItemRecord): Entity | null {
  const version = crateVersion(record);
  return version === null ? null : engineEntity(record.service, version);
}

/** A job that was submitted for another row, or by another campaign, is described there. */
export function hasJob({ remoteId, resultFrom }: ItemRecord): boolean {
  return remoteId !== null && resultFrom === undefined;
}

/** The beginning of a text of users or services, limited to this many bytes of JSON. */
export function clipped(text: string, bytes: number): string {
  if (bytesInJson(text) <= bytes) return text;
  let beginning = '';
  let room = bytes - bytesInJson('…');
  for (const sign of text) {
    room -= bytesInJson(sign);
    if (room < 0) break;
    beginning += sign;
  }
  return `${beginning}…`;
}

/** Without the quotes. */
function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** The crate's entity of the input that was sent. */
export function inputId({ kind, id, input }: ItemRecord): string {
  return encodeURI(`${itemFolder(kind, id)}/${input.name}`);
}

function inputEntity(record: ItemRecord): Entity {
  return { '@id': inputId(record), '@type': 'File', name: record.input.name };
}

function serviceId(service: ServiceName): string {
  return `#${service}`;
}

function actionOf(number: number, record: ItemRecord, messageBytes: number): Entity {
  const { state, error, timing, submittedAt, finishedAt } = record;
  const succeeded = state === 'succeeded';
  return {
    '@id': jobId(number),
    '@type': 'CreateAction',
    name: `Job ${number}`,
    description: optionsInWords(record),
    instrument: { '@id': engineOf(record)?.['@id'] ?? serviceId(record.service) },
    object: { '@id': inputId(record) },
    // A failed job has no result. Its input is a part of the item's folder, which may have its log.
    ...(succeeded && { result: { '@id': `${itemFolder(record.kind, record.id)}/` } }),
    ...timeOf('startTime', timing?.startedAt ?? submittedAt),
    ...timeOf('endTime', timing?.finishedAt ?? finishedAt),
    agent: { '@id': AGENT['@id'] },
    // The profile does not require it, and there are thousands: an action without it has succeeded.
    ...(!succeeded && { actionStatus: STATUS.failed }),
    ...(!succeeded && error && { error: `${error.code}: ${clipped(error.message, messageBytes)}` }),
  };
}

function optionsInWords(record: ItemRecord): string {
  const options = Object.entries(optionsToDisk(jobOptionsOf(record)));
  const words = options.map(([name, value]) => `${name}=${valueInWords(value)}`);
  return words.length === 0 ? record.kind : words.join(' ');
}

function valueInWords(value: unknown): string {
  if (value === null) return 'auto';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Absent if the time is unknown or has no zone. */
function timeOf(
  property: 'startTime' | 'endTime',
  text: string | null,
): Readonly<Record<string, string>> {
  const time = text === null ? null : crateTime(text);
  return time === null ? {} : { [property]: time };
}

/** `2026-11-21T20:00:04+00:00`, the format that the profile's validator accepts; null for a time without a zone. */
export function crateTime(text: string): string | null {
  const at = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return null;
  return new Date(at).toISOString().replace(/(?:\.000)?Z$/, '+00:00');
}
