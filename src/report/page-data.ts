/**
 * The data of the report's page: src/report/page creates it, packages/report-page draws it. All of it is JSON,
 * deflated and in base64 (`embedded.ts`), so that user input is never part of the page's own HTML or script.
 */
import type {
  Attempt,
  CampaignFacts,
  Counts,
  Kind,
  ServiceName,
  FinalState,
  ItemState,
} from '../domain/campaign.ts';
import type { Drawing } from '../domain/chemistry.ts';
import type { Measure, Verdict } from '../kinds/kind.ts';
import type { PackedResult, TrackFacts } from '../kinds/page-data.ts';

export type { Counts, Drawing, Kind, Verdict };
export type * from '../kinds/page-data.ts';

/** Ids of the elements with data; a chunk's number is appended to `chunk`. */
export const ELEMENT = {
  page: 'page-data',
  chunk: 'items-',
  structures: 'structures',
  viewer: 'viewer-3d',
  app: 'app',
} as const;

/** The folder next to the report with the chunks that are not in it, and the function that their scripts call. */
export const DATA_FOLDER = 'report-data';
export const DELIVER = 'hundredfoldReportData';

/** `report-data/00017.js`. */
export function nameChunkFile(chunk: number): string {
  return `${DATA_FOLDER}/${String(chunk).padStart(5, '0')}.js`;
}

export interface ServiceFacts {
  readonly name: ServiceName;
  readonly address: string;
  /** Of its budget. */
  readonly windows: readonly WindowFacts[];
  /** Number of accepted jobs. */
  readonly accepted: number;
  /** What computes the results, and the work to cite; null if it is unknown. */
  readonly software: {
    readonly name: string;
    readonly citation?: string | undefined;
  } | null;
}

/** At most `limit` jobs may be sent in any `windowMs`; `fullest`: the most that were. */
interface WindowFacts {
  readonly limit: number;
  readonly windowMs: number;
  readonly fullest: number;
}

/** The overview, and the table of all items. */
export interface PageData extends CampaignFacts {
  /** Number of runs. */
  readonly runs: number;
  readonly manifests: readonly string[];
  readonly services: readonly ServiceFacts[];
  /** Its times are in ms after `startedAt`. */
  readonly table: ItemTable;
  readonly chunks: ChunkLayout;
  /** What the error codes of the table mean, and what to do. */
  readonly codes: Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;
  /** What the values along a chain are called, and how they are read; by key, in the order of the plots. */
  readonly tracks: Readonly<Record<string, TrackFacts>>;
}

/** Where the details of an item are. */
export interface ChunkLayout {
  /** The first row of each chunk, ascending. */
  readonly firstRows: readonly number[];
  /** Chunks from this number on are in `DATA_FOLDER`. */
  readonly embedded: number;
}

/** What the page shows of the items of a kind. */
export interface KindFacts {
  readonly name: Kind;
  readonly one: string;
  readonly many: string;
  /** Whether its items have structural formulas. */
  readonly isDrawn: boolean;
  /** That runs its jobs. */
  readonly service: ServiceName;
  /** Its tables in `tables/`, and what a row of each is about. */
  readonly tables: readonly { readonly name: string; readonly words: string }[];
  /** In table order. */
  readonly measures: readonly MeasureFacts[];
}

export interface MeasureFacts extends Omit<Measure<unknown>, 'of' | 'column'> {
  readonly key: string;
  readonly verdicts: readonly Verdict[];
}

/** One entry per row, in manifest order; refused rows come last. */
export interface ItemTable {
  /** In the order in which they are shown. */
  readonly kinds: readonly KindFacts[];
  readonly id: readonly string[];
  readonly kind: readonly (Kind | null)[];
  readonly state: readonly ItemState[];
  /** A short summary of the result; of a running job that is late, how late it is. */
  readonly result: readonly string[];
  /** Null if there is none. */
  readonly code: readonly (string | null)[];
  readonly message: readonly (string | null)[];
  readonly remoteId: readonly (string | null)[];
  /** When the service accepted the job, and when the item ended: ms after the campaign's start. */
  readonly submitted: readonly (number | null)[];
  readonly finished: readonly (number | null)[];
  /** The engine of the result, if the service reports it. */
  readonly engine: readonly (string | null)[];
  /**
   * For each kind: the measures of its items by key, one value for each of its rows in order; null if there is none.
   */
  readonly measures: Readonly<Partial<Record<Kind, MeasureColumns>>>;
  /** Number of rows with a structural formula. */
  readonly structures: number;
  /** The user's own columns, in order of first appearance. */
  readonly own: readonly { readonly name: string; readonly values: readonly string[] }[];
}

export type MeasureColumns = Readonly<Record<string, readonly (number | null)[]>>;

/** The molecules that could be drawn: parallel lists, by row. Loaded on demand. */
export interface Structures {
  readonly rows: readonly number[];
  /** Fingerprints in base64, concatenated, `FINGERPRINT_BYTES` each. */
  readonly fingerprints: string;
}

/** Of a Morgan fingerprint with 512 bits. */
export const FINGERPRINT_BYTES = 64;

/** What the page of one item shows beyond its row in the table. */
export interface ItemDetail {
  /** Null if there is no record: the row was refused, or its item.json is missing. */
  readonly facts: ItemFacts | null;
  /** Null if there is no result, or no readable one. */
  readonly result: PackedResult | null;
  /** Why the result cannot be read although there is one. */
  readonly unreadable: string | null;
  /** Only for molecules. */
  readonly formula: DrawnFormula | null;
}

export interface DrawnFormula {
  readonly drawing: Drawing | null;
  /** Canonical, of the drawn molecule; null if there is none. */
  readonly smiles: string | null;
  /** What it was drawn from, or why there is none, as a sentence. */
  readonly words: string;
}

export interface ItemFacts {
  readonly title: string | null;
  /** Its folder in the tree, without a trailing slash. */
  readonly folder: string;
  /** File name → bytes; null if the length is unknown. */
  readonly files: Readonly<Record<string, number | null>>;
  readonly options: Readonly<Record<string, string>>;
  readonly service: ServiceName;
  readonly address: string | null;
  readonly jobName: string | null;
  readonly attempts: readonly Attempt[];
  readonly earlier: readonly {
    readonly state: FinalState;
    readonly code: string | null;
    readonly retriedAt: string;
  }[];
  readonly timing: { readonly queuedSeconds: number | null; readonly ranSeconds: number | null };
  /** Another item of this campaign, or of an earlier one; null if the item had its own job. */
  readonly resultFrom: { readonly id: string; readonly campaign: string | null } | null;
  /** Of an item that has succeeded, in sentences. */
  readonly warnings: readonly string[];
  /** `manifest.csv:12`. */
  readonly source: string;
}
