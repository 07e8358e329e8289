/** The content of an item's page, as JSON: a parsed result is far larger, and many wait for their drawing. */
import type {
  DrawnFormula,
  ItemDetail,
  ItemFacts,
  PackedMolecule,
  PackedProtein,
  PackedResult,
  PackedSpread,
  PackedTrack,
} from '../../report-page/data.ts';
import type {
  ResultReading,
  ColumnSpread,
  MoleculeReading,
  ProteinReading,
  Track,
} from '../../kinds/reading.ts';
import type { Store } from '../../store/store.ts';
import type { Listed } from '../campaign-items.ts';
import { formulaSource, type FormulaSource } from './formula.ts';
import { optionsToDisk } from '../../store/item-options.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { warningsOf } from '../../store/item-warnings.ts';
import { manifestRow } from '../failed-table.ts';
import { ITEM_RECORD, itemFolder } from '../../store/layout.ts';
import { packCurve, packTrack } from '../../report-page/packing.ts';

/** An `ItemDetail` as JSON. */
export type DetailText = string;

export interface DetailParts {
  /** An `ItemDetail` without its formula, as JSON. */
  readonly text: string;
  /** What the formula is drawn from; null if it is not a molecule. */
  readonly formula: FormulaSource | null;
}

/** @throws StoreError */
export async function makeDetail(
  store: Store,
  item: Listed,
  reading: ResultReading | null,
): Promise<DetailParts> {
  const { record } = item;
  const isRead = record?.state !== 'succeeded' || reading !== null;
  const detail: Omit<ItemDetail, 'formula'> = {
    facts: record === null ? null : itemFacts(item, record),
    result: reading === null ? null : packResult(reading),
    unreadable: isRead ? null : 'its files are not in the expected format.',
  };
  const isMolecule = record?.kind === 'molecule';
  return {
    text: JSON.stringify(detail),
    formula: isMolecule ? await formulaSource(store, record, reading) : null,
  };
}

export function withFormula(text: DetailParts['text'], formula: DrawnFormula | null): DetailText {
  return `{"formula":${JSON.stringify(formula)},${text.slice(1)}`;
}

/** What an item's record says about its job, for the item's page. */
function itemFacts(item: Listed, record: ItemRecord): ItemFacts {
  const { kind, id, title, service, address, jobName, attempts, timing, resultFrom, source } =
    record;
  return {
    title,
    service,
    address,
    jobName,
    attempts,
    folder: itemFolder(kind, id),
    files: filesOf(record),
    options: optionsOf(record),
    earlier: record.earlier.map(({ state, error, finishedAt, retriedAt }) => ({
      state,
      finishedAt,
      retriedAt,
      code: error?.code ?? null,
    })),
    timing: {
      queuedSeconds: timing?.queueWaitSeconds ?? null,
      ranSeconds: timing?.elapsedSeconds ?? null,
    },
    resultFrom: resultFrom
      ? { id: resultFrom.id, campaign: resultFrom.type === 'cache' ? resultFrom.campaign : null }
      : null,
    warnings: warningsOf(record).map(({ message }) => message),
    source: `${source.file}:${source.line}`,
    manifest: manifestRow(item),
  };
}

/** item.json cannot contain its own length: it is written last. */
function filesOf({ input, files }: ItemRecord): Readonly<Record<string, number | null>> {
  const { original } = input;
  return {
    [ITEM_RECORD]: null,
    [input.name]: input.bytes,
    ...(original && { [original.name]: original.bytes }),
    ...Object.fromEntries(Object.entries(files).map(([name, { bytes }]) => [name, bytes])),
  };
}

/** By manifest column name. */
function optionsOf({ options }: ItemRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(optionsToDisk(options)).map(([name, value]) => [name, optionText(value)]),
  );
}

function optionText(value: unknown): string {
  if (value === null) return 'automatic';
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value).replaceAll('"', '');
}

/** A result in the page's format: the same values in few bytes. */
function packResult(reading: ResultReading): PackedResult {
  switch (reading.kind) {
    case 'molecule':
      return packMolecule(reading);
    case 'sequence':
      return { kind: 'sequence', proteins: reading.proteins.map((one) => packProtein(one)) };
    case 'alignment':
      return {
        kind: 'alignment',
        columns: reading.columns,
        proteins: reading.proteins.map((one) => packProtein(one, packCurve)),
        spreads: mapped(reading.spreads, packSpread),
      };
    case 'shifts':
      return {
        kind: 'shifts',
        chains: reading.chains.map(({ shiftCrypt, ...chain }) => ({
          ...chain,
          shiftCrypt: packTrack(shiftCrypt),
        })),
      };
  }
}

function packMolecule(reading: MoleculeReading): PackedMolecule {
  const { formula, charge, atoms, bonds, estimated } = reading;
  return {
    kind: 'molecule',
    formula,
    charge,
    estimated,
    names: atoms.map(({ name }) => name),
    elements: atoms.map(({ element }) => element),
    types: atoms.map(({ type }) => type),
    charges: atoms.map((atom) => Math.round(atom.charge * 10_000)),
    places: atoms.flatMap(({ position }) => position.map((along) => Math.round(along * 100))),
    bonds: bonds.flat(),
  };
}

function packProtein(
  { name, residues, tracks, scores }: ProteinReading,
  pack: (track: Track) => PackedTrack = packTrack,
): PackedProtein {
  return {
    name,
    residues,
    tracks: mapped(withValues(tracks), pack),
    scores,
  };
}

/** A predictor may have no value for the whole chain. */
function withValues(tracks: ProteinReading['tracks']): ProteinReading['tracks'] {
  const filled = Object.entries(tracks).filter(([, track]) =>
    track.some((value) => value !== null && value !== ''),
  );
  return Object.fromEntries(filled);
}

function packSpread(spread: ColumnSpread): PackedSpread {
  return mapped(spread, packTrack) as unknown as PackedSpread;
}

function mapped<A, B>(of: Readonly<Record<string, A>>, to: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, to(value)]));
}
