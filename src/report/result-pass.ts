/** One pass over the items of a campaign: makes the parts of each result, and passes them to all sinks. */
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { type OwnColumnsByKind, makeRows, type ResultRows } from './tables/result-rows.ts';
import type { MeasureValues } from '../results/measures/measure.ts';
import { measuresOf } from '../results/measures/measures.ts';
import { makeDetail, type DetailParts } from './page/item-detail.ts';
import { SHIFTS_MISSING } from '../kinds/protein/reading-aids.ts';
import type { ResultReading, MoleculeReading } from '../kinds/reading.ts';
import { readAlignment, readSequences, readShifts } from '../kinds/protein/reading.ts';
import { readMolecule } from '../kinds/molecule/result.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { artefactFile, itemKey } from '../store/layout.ts';
import { StoreError } from '../store/store-error.ts';

export interface ItemParts {
  readonly item: Listed;
  readonly parts: ResultParts;
}

/** Built from all items and the parts of their results, one by one. */
export interface PartsSink {
  add(parts: ItemParts): Promise<void>;
  /** All were added. */
  end(): Promise<void>;
  /** The pass has failed: no incomplete file may stay. Never throws. */
  abandon(reason: unknown): Promise<void>;
}

interface Source {
  readonly store: Store;
  readonly items: AsyncIterable<Listed>;
  readonly own: OwnColumnsByKind;
}

/** In item order; a result is freed before the next one is read. `onItem` is called for each, and may throw to abort. */
export async function passParts(
  { store, items, own }: Source,
  sinks: readonly PartsSink[],
  onItem: () => void,
): Promise<void> {
  try {
    for await (const item of items) {
      const parts = await makeParts(store, item, own);
      for (const sink of sinks) await sink.add({ item, parts });
      onItem();
    }
    await Promise.all(sinks.map((sink) => sink.end()));
  } catch (error) {
    for (const sink of sinks) await sink.abandon(error);
    throw error;
  }
}

/**
 * Everything that the tables and the report need from the result of one item. Reading and parsing results is most of
 * the cost of a publication, so each is read once, here.
 */
export interface ResultParts {
  /** In the table of its kind; null if the item has no result. */
  readonly rows: ResultRows | null;
  /** A short summary of the result; '' if the item has none. */
  readonly words: string;
  /** Null if the item has no result. */
  readonly measures: MeasureValues | null;
  readonly detail: DetailParts;
}

/** @throws StoreError */
async function makeParts(store: Store, item: Listed, own: OwnColumnsByKind): Promise<ResultParts> {
  const { record } = item;
  const reading = record === null ? null : await readResult(store, record);
  return {
    rows: record === null || reading === null ? null : makeRows(reading, record, own),
    words: reading === null ? '' : resultWords(reading),
    measures: reading === null ? null : measuresOf(reading),
    detail: await makeDetail(store, item, reading),
  };
}

/** An item's result, short enough for a table cell. */
function resultWords(reading: ResultReading): string {
  switch (reading.kind) {
    case 'molecule': {
      const { formula, atoms, charge, estimated } = reading;
      const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
      const flags = revise === 0 ? '' : `, ${revise} ATTN`;
      return `${formula}, ${atoms.length} atoms, charge ${chargeText(charge)}${flags}`;
    }
    case 'sequence': {
      const residues = reading.proteins.reduce((sum, protein) => sum + protein.residues.length, 0);
      const chains = reading.proteins.length > 1 ? `${reading.proteins.length} chains, ` : '';
      return `${chains}${residues} residues`;
    }
    case 'alignment':
      return `${reading.proteins.length} rows, ${reading.columns} columns`;
    case 'shifts': {
      const values = reading.chains.flatMap(({ shiftCrypt }) => shiftCrypt);
      const present = values.filter((value) => value !== null && value !== SHIFTS_MISSING).length;
      return `${present} of ${values.length} residues`;
    }
  }
}

/** `0`, `−1`, `+0.02` if the topology does not add up to an integer. */
function chargeText(charge: number): string {
  const rounded = Math.round(charge * 1000) / 1000;
  if (rounded === 0) return '0';
  return rounded < 0 ? `−${-rounded}` : `+${rounded}`;
}

/** The content of an item's result, read from its folder in the output tree. */
const RESULT = artefactFile('result', null);
const DISTRIBUTIONS = ['application/json', null].map((type) => artefactFile('distributions', type));

/**
 * Null for an item that has not succeeded, or whose files have changed since they were checked.
 * @throws StoreError
 */
async function readResult(store: Store, record: ItemRecord): Promise<ResultReading | null> {
  if (record.state !== 'succeeded') return null;
  if (record.kind === 'molecule') return readMoleculeFiles(store, record);
  const result = await readFile(store, record, RESULT);
  if (result === null) return null;
  const { names } = record.input;
  switch (record.kind) {
    case 'sequence':
      return readSequences(result, names);
    case 'alignment': {
      const file = DISTRIBUTIONS.find((name) => Object.hasOwn(record.files, name));
      const spread = file === undefined ? null : await readFile(store, record, file);
      return readAlignment(result, spread, names);
    }
    case 'shifts':
      return readShifts(result);
  }
}

async function readMoleculeFiles(
  store: Store,
  record: ItemRecord,
): Promise<MoleculeReading | null> {
  const [itp, pdb, frcmod] = await Promise.all(
    ['_GMX.itp', '_NEW.pdb', '_AC.frcmod'].map(async (ending) => {
      const name = Object.keys(record.files).find(
        (file) => file.endsWith(ending) && !file.includes('/'),
      );
      return name === undefined ? null : readFile(store, record, name);
    }),
  );
  return itp && pdb && frcmod ? readMolecule({ itp, pdb, frcmod }) : null;
}

async function readFile(
  store: Store,
  { kind, id }: ItemRecord,
  name: string,
): Promise<string | null> {
  try {
    return await store.readText(itemKey(kind, id, name));
  } catch (error) {
    // With a bucket, a changed object is noticed only when it is read.
    if (error instanceof StoreError && error.code === 'STORE_DIGEST_MISMATCH') return null;
    throw error;
  }
}
