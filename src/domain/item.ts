/** An item: one row of a manifest, with one input, one job at a service, one folder in the output tree; and its states. */
import type { Problem } from './problem.ts';

/** The name of a kind (src/kinds): what an input is. It determines the service, the checks and the folder. */
export type Kind = string;

/** The name of a service (src/services). */
export type ServiceName = string;

export type OptionValue = string | number | boolean | null | readonly string[];

/** The option columns of a row, by the keys of its kind's columns. */
export interface Options {
  readonly kind: Kind;
  readonly [key: string]: OptionValue;
}

/** The text that is sent to the service, with its file name in the output tree. */
export interface InputText {
  /** `input.smi`, `input.pdb`, `input.mol2`, `input.sdf`, `input.mdl`, `input.fasta`, `input.nef`, `input.str` */
  readonly name: string;
  readonly text: string;
  /** The user's input, if a different text is sent instead; stored beside it: `original.sto`, `original.fasta`. */
  readonly original?: { readonly name: string; readonly text: string };
  /** Id of a record in the results → the header that the user wrote, if the two differ. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A job submitted by another program or in a browser that a row adopts. */
interface Adopted {
  readonly remoteId: string;
  /** False if the row gives no input: `input` is then a note that names the job, and is not sent or compared. */
  readonly inputKnown: boolean;
}

/** A checked manifest row, ready to be submitted. */
export interface Item {
  readonly id: string;
  readonly kind: Kind;
  readonly options: Options;
  readonly input: InputText;
  /**
   * The engine's input in one spelling: inputs of one kind with equal canonical texts and the same options have the
   * same result, regardless of their original spelling.
   */
  readonly canonical: string;
  /** The existing job of the service: polled, never submitted. */
  readonly adopts?: Adopted;
  readonly email: string | null;
  readonly title: string | null;
  /** First line of the row: manifest file as named by the user, line counted from 1. */
  readonly source: { readonly file: string; readonly line: number };
  /** The whole row as the user wrote it, by column: repeated in `failed.csv`. */
  readonly row: Readonly<Record<string, string>>;
  /** The user's own columns: joined into the result tables. */
  readonly user: Readonly<Record<string, string>>;
}

/** One row of a manifest after the checks: an item unless it has a problem of severity `error`. */
export interface CheckedRow {
  /** Its place; `line` is null when it concerns the whole file and is not a row. */
  readonly source: { readonly file: string; readonly line: number | null };
  /** Unique among all rows, including refused ones; null only if it is not a row. */
  readonly id: string | null;
  /** As the user wrote it; null when it was unreadable. */
  readonly row: Readonly<Record<string, string>> | null;
  /** Null while the type of the input is unknown. */
  readonly kind: Kind | null;
  readonly item: Item | null;
  readonly problems: readonly Problem[];
}

/**
 * The states of an item. It ends in exactly one of the final ones (promise 3 of docs/promises.md).
 *
 *   waiting ─▶ running ─▶ succeeded
 *      └──────────┴─────▶ failed | held | cancelled
 */
export const OPEN_STATES = ['waiting', 'running'] as const;
export const FINAL_STATES = ['succeeded', 'failed', 'held', 'cancelled', 'invalid'] as const;

/** A state of an item that has not ended. */
export type OpenState = (typeof OPEN_STATES)[number];
/** How an item ended. */
export type FinalState = (typeof FINAL_STATES)[number];
/** Any state of an item. */
export type ItemState = OpenState | FinalState;

/** Items that have ended, in whichever state. */
export function countEnded(ended: Readonly<Record<FinalState, number>>): number {
  return Object.values(ended).reduce((sum, n) => sum + n, 0);
}

export function isFinal(state: ItemState): state is FinalState {
  return (FINAL_STATES as readonly string[]).includes(state);
}

/** It has succeeded, or still may: others can rely on its result. */
export function canSucceed(state: ItemState): boolean {
  return !isFinal(state) || state === 'succeeded';
}

/** The states of a campaign. */
export type CampaignState = 'running' | 'paused' | 'publishing' | 'completed' | 'cancelled';
