/**
 * All that is known about an item, kept in its folder as item.json: where it came from, what was
 * sent, every attempt, what came back. A Temporal history only carries its id; this is the record.
 */
import type { Attempt } from '../domain/campaign.ts';
import type { InputText, Item, Kind, Options, ServiceName } from '../domain/item.ts';
import { SERVICE_OF_KIND } from '../domain/item.ts';
import type { Timing } from '../domain/outcomes.ts';
import type { FinalState, ItemState } from '../domain/states.ts';
import { digestOf, type FileDigest } from './digest.ts';
import { jobLabel } from './job-name.ts';
import { workDigest } from './work.ts';

export interface ItemError {
  readonly code: string;
  /** The service's words letter by letter, where it gave any. */
  readonly message: string;
}

/** How the item had ended before `retry` opened it again. */
export interface EarlierEnd {
  readonly state: FinalState;
  readonly error: ItemError | null;
  readonly remoteId: string | null;
  readonly jobName: string | null;
  /** ISO 8601, UTC, as are the others. */
  readonly submittedAt: string | null;
  readonly finishedAt: string | null;
  /** When it was opened again. */
  readonly retriedAt: string;
}

/** A file that was fetched. The digest is that of the file as it lies there. */
export interface RecordedFile extends FileDigest {
  /** Places at which the service had repeated a secret, and it was overwritten; absent when there are none. */
  readonly redacted?: number | undefined;
}

export interface RecordedInput extends FileDigest {
  readonly name: string;
  /** What the user gave, where another text is sent in its place. */
  readonly original?: FileDigest & { readonly name: string };
  /** Id of a record in the results → the header that the user wrote. */
  readonly names?: Readonly<Record<string, string>>;
}

export type ResultSource =
  /** Another row of the campaign asks for the same work: its job serves both. */
  | { readonly type: 'duplicate'; readonly id: string }
  /** An item of an earlier campaign into the same store. */
  | { readonly type: 'cache'; readonly campaign: string; readonly id: string };

export interface ItemRecord {
  readonly id: string;
  readonly kind: Kind;
  readonly state: ItemState;
  /** Why the item is not succeeded; null while it is open or when it is. */
  readonly error: ItemError | null;
  /** The text that is sent to the service, as a file in the item's folder. */
  readonly input: RecordedInput;
  /** As the row asks for them. */
  readonly options: Options;
  /** Those of the job, where it is shared with rows that ask for more. */
  readonly jobOptions?: Options;
  /** What the job computes (`workDigest`); null where that is not certain, and in trees of before work was shared. */
  readonly work: string | null;
  /** Where the result came from, when it is no job of this item's own. */
  readonly resultFrom?: ResultSource;
  /** The row names a job that the service had already (`remoteId`): it is asked for, and never submitted. */
  readonly adopted?: { readonly inputKnown: boolean };
  /** How often the item was begun again, by `retry` or with another input: tells the budget its requests apart. */
  readonly generation: number;
  /** Which job of this input is wanted, from 0: part of its name. `retry` raises it where the former is of no use. */
  readonly jobNumber: number;
  /** Its ends before this one, oldest first; `attempts` holds the attempts of all. */
  readonly earlier: readonly EarlierEnd[];
  readonly email: string | null;
  readonly title: string | null;
  /**
   * What of the title stands in the job's name. Fixed when the item was begun, because the title may be edited while a
   * job of that name is looked for; absent without a title, and in trees of before titles were sent.
   */
  readonly jobLabel?: string;
  readonly service: ServiceName;
  /** The address of the service without credentials, once it was chosen. */
  readonly address: string | null;
  /** The job's identifier at the service (`request_id`, `hash_id`). */
  readonly remoteId: string | null;
  /** Fingerprint of the token that it was submitted with, or may have been, where its campaign has several. */
  readonly credential?: string;
  /** The name the job was submitted under. */
  readonly jobName: string | null;
  /** Every attempt to submit, oldest first. */
  readonly attempts: readonly Attempt[];
  /**
   * ISO 8601, UTC: when the service accepted the job, which is when its answer was complete, or when a look-up found the
   * job; null for an adopted one, whose `timing` may tell.
   */
  readonly submittedAt: string | null;
  /** ISO 8601, UTC: just before the first byte of the POST that made the job, or that may have; null where that is not known. */
  readonly sentAt: string | null;
  /** ISO 8601, UTC: when the answer to that POST was complete; null where there was none. */
  readonly answeredAt: string | null;
  /** ISO 8601, UTC: when the item reached a final state. */
  readonly finishedAt: string | null;
  /** The service's own timing block (contract 2.4), as last seen. */
  readonly timing: Timing | null;
  /** What was fetched, by file name in the item's folder. */
  readonly files: Readonly<Record<string, RecordedFile>>;
  /** Where the manifest row begins: file as the user named it, line from 1. */
  readonly source: { readonly file: string; readonly line: number };
  /** The manifest row as the user wrote it. */
  readonly row: Readonly<Record<string, string>>;
  /** The columns of the row that are the user's own. */
  readonly user: Readonly<Record<string, string>>;
  /** What computed the result, where the service tells: program and version. `synthetic` never passes for science. */
  readonly engine?: string;
}

/** What the job computes: rows that share one may together ask for more than each of them. */
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
 * Of an adopted job only where its result shows all of what was asked for, input and options: it may then serve later
 * campaigns. Charges and model classes leave no trace in a result.
 */
function workOf(item: Item): string | null {
  const { adopts, kind } = item;
  const shown = adopts?.inputKnown === true && (kind === 'sequence' || kind === 'alignment');
  return adopts === undefined || shown ? workDigest(item) : null;
}

/** The record of an item that nothing has happened to yet. */
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
    service: SERVICE_OF_KIND[item.kind],
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
