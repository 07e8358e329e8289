/**
 * What a result of a prediction says: one form per kind, independent of that of the service's payload. And reading aids:
 * how a value is commonly interpreted, according to the tools' own pages. They are not results.
 */

/** Values along a chain: one per residue or column, null for no value. Text only for psper's `viterbi`. */
export type Track = readonly (number | string | null)[];

export interface ProteinReading {
  /** The header as the user wrote it, if known, else the payload's id. */
  readonly name: string;
  /** One letter per residue; gaps of an alignment as `-`; '' if the payload does not contain them. */
  readonly residues: string;
  /** By the payload's key, in the order of `TRACK_KEYS`. All have the same length. */
  readonly tracks: Readonly<Record<string, Track>>;
  /** Values of the whole protein, `protein_score` of psper. */
  readonly scores: Readonly<Record<string, number>>;
}

export interface SequenceReading {
  readonly kind: 'sequence';
  readonly proteins: readonly ProteinReading[];
}

/** The names of the five statistics that the engine gives for each column of an alignment. */
export const SPREAD_KEYS = [
  'median',
  'firstQuartile',
  'thirdQuartile',
  /** Third quartile + 1.5 × the interquartile range: a value above it is an outlier. It is a limit, not a value. */
  'topOutlier',
  /** First quartile − 1.5 × the interquartile range. */
  'bottomOutlier',
] as const;

/** The distribution of the rows' values, column by column; null if every row has a gap. */
export type ColumnSpread = Readonly<Record<(typeof SPREAD_KEYS)[number], Track>>;

export interface AlignmentReading {
  readonly kind: 'alignment';
  readonly proteins: readonly ProteinReading[];
  /** Number of columns. */
  readonly columns: number;
  /** One value for each column, from 0 to 1; null without the residues of every row. */
  readonly conservation: readonly number[] | null;
  /** By the payload's key, each with one value per column. */
  readonly spreads: Readonly<Record<string, ColumnSpread>>;
}

/** One chain of a shift file. */
export interface ChainReading {
  readonly name: string;
  readonly chain: string | null;
  readonly residues: string;
  /** Residue numbers as given by the service; text if there are insertion codes. */
  readonly numbers: readonly (number | string)[];
  /** ShiftCrypt index; -10 means that too many shifts of the residue are missing, which is a valid result. */
  readonly shiftCrypt: readonly (number | null)[];
}

export interface ShiftsReading {
  readonly kind: 'shifts';
  readonly chains: readonly ChainReading[];
}

/** In residues or columns. */
export function countResidues({
  residues,
  tracks,
}: Pick<ProteinReading, 'residues' | 'tracks'>): number {
  return residues.length || (Object.values(tracks)[0]?.length ?? 0);
}

/** The values that the service predicts for alignments, as far as known. */
export const ALIGNMENT_KEYS = [
  ...(['backbone', 'sidechain', 'helix', 'sheet', 'coil', 'ppII'] as const),
  ...(['earlyFolding', 'disoMine', 'agmata'] as const),
] as const;

/** The known keys of the predictors, in the order of tables and plots; others follow in payload order. */
export const TRACK_KEYS = [
  ...ALIGNMENT_KEYS,
  ...(['viterbi', 'complexity', 'arg', 'tyr', 'RRM', 'disorder'] as const),
] as const;

/** Keys of a payload in the order of `TRACK_KEYS`. */
export function sortKeys(keys: readonly string[]): readonly string[] {
  return [...new Set([...TRACK_KEYS.filter((key) => keys.includes(key)), ...keys])];
}

/** Above: likely to fold early (EFoldMine). */
export const EARLY_FOLDING_ABOVE = 0.169;
/** Above: likely disordered (DisoMine). */
export const DISORDER_ABOVE = 0.5;
/** From here on, the whole protein is likely to phase-separate (PSPer's `protein_score`). */
export const PHASE_SEPARATION_FROM = 0.5611;

/** ShiftCrypt's value for a residue with too many missing shifts: a valid result, but not an index. */
export const SHIFTS_MISSING = -10;

const GAPS = /[-.~]/g;

/**
 * For each column, from 0 to 1: 1 minus the normalised Shannon entropy of its residues, times the fraction of rows
 * without a gap. Null if the payload does not contain the residues of every row.
 */
export function computeConservation(rows: readonly string[], columns: number): number[] | null {
  if (rows.length === 0 || rows.some((residues) => residues.length !== columns)) return null;
  return Array.from({ length: columns }, (_, column) => {
    const filled = rows
      .map((residues) => residues.charAt(column))
      .join('')
      .replace(GAPS, '');
    if (filled === '') return 0;
    const counts = new Map<string, number>();
    for (const residue of filled) counts.set(residue, (counts.get(residue) ?? 0) + 1);
    let bits = 0;
    for (const count of counts.values()) {
      bits -= (count / filled.length) * Math.log2(count / filled.length);
    }
    return Math.max(0, 1 - bits / Math.log2(20)) * (filled.length / rows.length);
  });
}

/**
 * What the values along a chain are called, and how they are commonly read. The readings are those of the predictors'
 * authors: DynaMine, EFoldMine, DisoMine, PSPer.
 *
 * The reading of ShiftCrypt's index (low in helices, high in strands) was checked on the recorded entry of ubiquitin: its
 * helix, residues 25 to 33, has 0.04 to 0.28; its first strand, 2 to 5, has 0.60 to 0.83.
 */

/** A range of values with a meaning, up to the next higher band. */
export interface TrackBand {
  /** Its lower bound; null for the lowest band. */
  readonly from: number | null;
  /** Whether the bound itself belongs to the band below it. */
  readonly isAbove: boolean;
  readonly words: string;
  /** Strength of its tint: 0 none, 3 most. */
  readonly tone: number;
}

export interface TrackFacts {
  readonly title: string;
  /** The program that predicts it. */
  readonly by: string;
  /** The minimum range of its plots, so that two of them can be compared. */
  readonly range: readonly [from: number, to: number];
  /** From the highest; empty if the values have no such reading. */
  readonly bands: readonly TrackBand[];
}

const UNIT = [0, 1] as const;

function describe(
  title: string,
  by: string,
  range: TrackFacts['range'] = UNIT,
  bands: TrackFacts['bands'] = [],
): TrackFacts {
  return { title, by, range, bands };
}

/** For predictors where values above a threshold have a meaning. */
function divide(from: number, isAbove: boolean, words: string, below: string) {
  return [
    { from, isAbove, words, tone: 2 },
    { from: null, isAbove: false, words: below, tone: 0 },
  ];
}

/** DynaMine's backbone S²; membrane-spanning: likely part of such a helix. */
const BACKBONE: readonly TrackBand[] = [
  { from: 1, isAbove: true, words: 'membrane-spanning', tone: 3 },
  { from: 0.8, isAbove: false, words: 'rigid', tone: 2 },
  { from: 0.69, isAbove: false, words: 'context-dependent', tone: 1 },
  { from: null, isAbove: false, words: 'flexible', tone: 0 },
];

export function classifyBackbone(value: number): string | null {
  const found = BACKBONE.find((band) => band.from === null || isInBand(band, value));
  return found?.words ?? null;
}

/** By the payload's key, values of residues and scores of whole proteins. */
export const TRACK_FACTS: Readonly<Record<string, TrackFacts>> = {
  conservation: describe('Conservation', ''),
  backbone: describe('Backbone dynamics', 'DynaMine', [0.4, 1.05], BACKBONE),
  sidechain: describe('Side-chain dynamics', 'DynaMine'),
  helix: describe('Helix', 'DynaMine'),
  sheet: describe('Sheet', 'DynaMine'),
  coil: describe('Coil', 'DynaMine'),
  ppII: describe('Polyproline II propensity', 'DynaMine', [0, 0.5]),
  earlyFolding: describe(
    'Early folding',
    'EFoldMine',
    [0, 0.5],
    divide(EARLY_FOLDING_ABOVE, true, 'early folding', 'not early folding'),
  ),
  disoMine: describe(
    'Disorder (DisoMine)',
    'DisoMine',
    UNIT,
    divide(DISORDER_ABOVE, true, 'disordered', 'ordered'),
  ),
  // Its authors give no threshold.
  agmata: describe('Beta aggregation', 'AgMata', [0, 5]),
  viterbi: describe('State', 'PSPer'),
  complexity: describe('Complexity', 'PSPer'),
  arg: describe('Arginine', 'PSPer'),
  tyr: describe('Tyrosine', 'PSPer'),
  RRM: describe('RNA recognition motif', 'PSPer'),
  disorder: describe('Disorder around (PSPer)', 'PSPer'),
  shiftCrypt: describe('ShiftCrypt index', 'ShiftCrypt'),
  protein_score: describe(
    'Phase separation (PSPer)',
    'PSPer',
    UNIT,
    divide(PHASE_SEPARATION_FROM, false, 'may separate into phases', 'unlikely to separate'),
  ),
};

/** A part of a chain in which a predictor's values reach a band with a meaning of its own. */
export interface Region {
  /** The payload's key. */
  readonly track: string;
  readonly band: TrackBand;
  /** Residues, counted from 1; both are inclusive. */
  readonly start: number;
  readonly end: number;
  /** Mean of the values. */
  readonly score: number;
}

/** By track and band, and then along the chain. What is in a higher band is in the lower ones as well. */
export function findRegions(tracks: Readonly<Record<string, Track>>): readonly Region[] {
  return Object.entries(tracks).flatMap(([track, values]) =>
    listStrongBands(track).flatMap((band) => findRuns(track, values, band)),
  );
}

/** From the highest. */
export function listStrongBands(track: string): readonly TrackBand[] {
  return (TRACK_FACTS[track]?.bands ?? []).filter(({ tone }) => tone > 1);
}

function isInBand({ from, isAbove }: TrackBand, value: unknown): boolean {
  return typeof value === 'number' && (value > Number(from) || (!isAbove && value === from));
}

function findRuns(track: string, values: Track, band: TrackBand): readonly Region[] {
  const regions: Region[] = [];
  let start = 0;
  for (const [index, value] of [...values, null].entries()) {
    if (isInBand(band, value)) continue;
    const inside = values.slice(start, index).map(Number);
    const score = inside.reduce((sum, one) => sum + one, 0) / inside.length;
    if (inside.length > 0) regions.push({ track, band, start: start + 1, end: index, score });
    start = index + 1;
  }
  return regions;
}

/** More regions of one band make the line unreadable. */
const MAX_REGIONS = 5;

/** `disordered 1–23, 80–104; early folding 30–41`. */
function describeRegions(tracks: Readonly<Record<string, Track>>): string {
  const found = Map.groupBy(findRegions(tracks), ({ band }) => band.words);
  const texts = [...found].map(([words, regions]) => {
    const places = regions.map(({ start, end }) => (start === end ? start : `${start}–${end}`));
    const more = places.length - MAX_REGIONS;
    const shown = places.slice(0, MAX_REGIONS).join(', ');
    return `${words} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
  });
  return texts.join('; ');
}

export function packSequences({ proteins }: SequenceReading) {
  return {
    shape: 'proteins' as const,
    proteins: proteins.map((protein) => ({
      ...roundAll(dropEmptyTracks(protein), 1000),
      regions: describeRegions(protein.tracks),
    })),
  };
}

export function packAlignment({ columns, proteins, conservation, spreads }: AlignmentReading) {
  return {
    shape: 'aligned' as const,
    columns,
    proteins: roundAll(proteins.map(dropEmptyTracks), 100),
    spreads: roundAll(spreads, 1000),
    /** Of the medians. */
    regions: describeRegions(
      Object.fromEntries(Object.entries(spreads).map(([key, { median }]) => [key, median])),
    ),
    conserved: roundAll(conservation, 100),
  };
}

/** Of a residue without an index there is null. */
export function packShifts({ chains }: ShiftsReading) {
  return {
    shape: 'chains' as const,
    chains: chains.map(({ shiftCrypt, ...chain }) => ({
      ...chain,
      shiftCrypt: roundAll(
        shiftCrypt.map((value) => (value === SHIFTS_MISSING ? null : value)),
        1000,
      ),
    })),
  };
}

/** A predictor may have no value for the whole chain. */
function dropEmptyTracks({ tracks, ...protein }: ProteinReading): ProteinReading {
  const filled = Object.entries(tracks).filter(([, track]) =>
    track.some((value) => value !== null && value !== ''),
  );
  return { ...protein, tracks: Object.fromEntries(filled) };
}

/** Every number in it, to fewer digits: the page is smaller. */
function roundAll<T>(data: T, parts: number): T;
function roundAll(data: unknown, parts: number): unknown {
  if (typeof data === 'number') return Math.round(data * parts) / parts;
  if (Array.isArray(data)) return data.map((one: unknown) => roundAll(one, parts));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, roundAll(value, parts)]),
  );
}
