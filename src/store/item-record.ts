/**
 * Everything known about an item, stored in its folder as item.json: where it came from, what was sent, every attempt,
 * what came back. A Temporal history only carries its id; this is the record.
 */
import type { Attempt } from '../domain/campaign.ts';
import type { InputText, Item, Kind, Options, ServiceName } from '../domain/item.ts';
import type { Timing } from '../domain/outcomes.ts';
import type { FinalState, ItemState } from '../domain/states.ts';
import { digestOf, type FileDigest } from './digest.ts';
import { jobLabel } from './job-name.ts';
import { workDigest } from './work.ts';
import { kindOf } from '../kinds/registry.ts';
import { serviceOfKind } from '../services/registry.ts';

export interface ItemError {
  readonly code: string;
  /** The message of the service, unchanged, if there is one. */
  readonly message: string;
}

/** How the item had ended before `retry` reopened it. */
interface EarlierEnd {
  readonly state: FinalState;
  readonly error: ItemError | null;
  readonly remoteId: string | null;
  readonly jobName: string | null;
  /** ISO 8601, UTC, like the others. */
  readonly submittedAt: string | null;
  readonly finishedAt: string | null;
  /** When it was reopened. */
  readonly retriedAt: string;
}

/** A downloaded file. The digest is that of the file on disk. */
interface RecordedFile extends FileDigest {
  /** Number of places where the service had repeated a secret that was overwritten; absent if there are none. */
  readonly redacted?: number | undefined;
}

export interface RecordedInput extends FileDigest {
  readonly name: string;
  /** The user's input, if a different text is sent instead. */
  readonly original?: FileDigest & { readonly name: string };
  /** Id of a record in the results → the header that the user wrote. */
  readonly names?: Readonly<Record<string, string>>;
}

export type ResultSource =
  /** Another row of the campaign requests the same work: its job serves both. */
  | { readonly type: 'duplicate'; readonly id: string }
  /** An item of an earlier campaign into the same store. */
  | { readonly type: 'cache'; readonly campaign: string; readonly id: string };

export interface ItemRecord {
  readonly id: string;
  readonly kind: Kind;
  readonly state: ItemState;
  /** Why the item did not succeed; null while it is open or when it succeeded. */
  readonly error: ItemError | null;
  /** The text that is sent to the service, as a file in the item's folder. */
  readonly input: RecordedInput;
  /** As requested by the row. */
  readonly options: Options;
  /** Those of the job, if it is shared with rows that request more. */
  readonly jobOptions?: Options;
  /** What the job computes (`workDigest`); null if that is uncertain. */
  readonly work: string | null;
  /** Origin of the result, if it did not come from a job of this item. */
  readonly resultFrom?: ResultSource;
  /** The row names an existing job of the service (`remoteId`): it is polled, and never submitted. */
  readonly adopted?: { readonly inputKnown: boolean };
  /** How often the item was restarted, by `retry` or with another input: distinguishes its requests to the budget. */
  readonly generation: number;
  /** Number of the wanted job of this input, from 0: part of its name. `retry` increments it to replace a job. */
  readonly jobNumber: number;
  /** Its earlier ends, oldest first; `attempts` includes the attempts of all of them. */
  readonly earlier: readonly EarlierEnd[];
  readonly email: string | null;
  readonly title: string | null;
  /**
   * The part of the title used in the job's name. Fixed when the item starts, because the title may be edited while a
   * job of that name is searched for; absent without a title.
   */
  readonly jobLabel?: string;
  readonly service: ServiceName;
  /** The address of the service without credentials, once known. */
  readonly address: string | null;
  /** The job's identifier at the service (`request_id`, `hash_id`). */
  readonly remoteId: string | null;
  /** The name the job was submitted under. */
  readonly jobName: string | null;
  /** Every attempt to submit, oldest first. */
  readonly attempts: readonly Attempt[];
  /**
   * ISO 8601, UTC: when the service accepted the job, that is, when its answer was complete, or when a look-up found
   * the job; null for an adopted one, whose `timing` may have it.
   */
  readonly submittedAt: string | null;
  /**
   * ISO 8601, UTC: just before the first byte of the POST that made the job, or may have made it; null when unknown.
   */
  readonly sentAt: string | null;
  /** ISO 8601, UTC: when the answer to that POST was complete; null if there was none. */
  readonly answeredAt: string | null;
  /** ISO 8601, UTC: when the item reached a final state. */
  readonly finishedAt: string | null;
  /** The service's own timing block (contract 2.4), as last received. */
  readonly timing: Timing | null;
  /** Downloaded files, by file name in the item's folder. */
  readonly files: Readonly<Record<string, RecordedFile>>;
  /** First line of the manifest row: file as named by the user, line from 1. */
  readonly source: { readonly file: string; readonly line: number };
  /** The manifest row as the user wrote it. */
  readonly row: Readonly<Record<string, string>>;
  /** The user's own columns of the row. */
  readonly user: Readonly<Record<string, string>>;
  /** Program and version that computed the result, if known. `synthetic` is never mistaken for science. */
  readonly engine?: string;
}

/** Options that the job computes: rows that share it may together request more than each of them. */
export function jobOptionsOf({ options, jobOptions }: ItemRecord): Options {
  return jobOptions ?? options;
}

function recordedInput({ name, text, original, names }: InputText): RecordedInput {
  return {
    name,
    ...digestOf(text),
    ...(original && { original: { name: original.name, ...digestOf(original.text) } }),
    ...(names && { names }),
  };
}

/**
 * For an adopted job, only if its result shows everything that was requested, input and options: it may then serve
 * later campaigns.
 */
function workOf(item: Item): string | null {
  const { adopts, kind } = item;
  const shown = adopts?.inputKnown === true && kindOf(kind).showsOptions === true;
  return adopts === undefined || shown ? workDigest(item) : null;
}

/** The record of a new item. */
export function waitingRecord(item: Item): ItemRecord {
  const label = jobLabel(item);
  return {
    id: item.id,
    kind: item.kind,
    state: 'waiting',
    error: null,
    input: recordedInput(item.input),
    options: item.options,
    work: workOf(item),
    ...(item.adopts && { adopted: { inputKnown: item.adopts.inputKnown } }),
    generation: 0,
    jobNumber: 0,
    earlier: [],
    email: item.email,
    title: item.title,
    ...(label !== null && { jobLabel: label }),
    service: serviceOfKind(item.kind).name,
    address: null,
    remoteId: item.adopts?.remoteId ?? null,
    jobName: null,
    attempts: [],
    submittedAt: null,
    sentAt: null,
    answeredAt: null,
    finishedAt: null,
    timing: null,
    files: {},
    source: item.source,
    row: item.row,
    user: item.user,
  };
}
