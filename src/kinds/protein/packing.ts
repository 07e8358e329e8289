/** Results of predictions as the report's page draws them: with three decimals, the rows of an alignment with two. */
import {
  type AlignmentReading,
  type ColumnSpread,
  computeConservation,
  type ProteinReading,
  type SequenceReading,
  SHIFTS_MISSING,
  type ShiftsReading,
  SPREAD_KEYS,
  type Track,
} from './reading.ts';

export function packSequences({ proteins }: SequenceReading) {
  return {
    shape: 'proteins' as const,
    proteins: proteins.map((protein) => packProtein(protein, 1000)),
  };
}

export function packAlignment({ columns, proteins, spreads }: AlignmentReading) {
  const rows = proteins.map(({ residues }) => residues);
  return {
    shape: 'aligned' as const,
    columns,
    proteins: proteins.map((protein) => packProtein(protein, 100)),
    spreads: Object.fromEntries(
      Object.entries(spreads).map(([key, spread]) => [key, packSpread(spread)]),
    ),
    /** One value for each column, from 0 to 1; null without the residues of every row. */
    conserved: computeConservation(rows, columns)?.map((value) => roundTo(value, 100)) ?? null,
  };
}

/** Of a residue without an index there is null. */
export function packShifts({ chains }: ShiftsReading) {
  return {
    shape: 'chains' as const,
    chains: chains.map(({ shiftCrypt, ...chain }) => ({
      ...chain,
      shiftCrypt: shiftCrypt.map((value) =>
        value === null || value === SHIFTS_MISSING ? null : roundTo(value, 1000),
      ),
    })),
  };
}

function packProtein({ tracks, ...protein }: ProteinReading, parts: number): ProteinReading {
  // A predictor may have no value for the whole chain.
  const filled = Object.entries(tracks).filter(([, track]) =>
    track.some((value) => value !== null && value !== ''),
  );
  return {
    ...protein,
    tracks: Object.fromEntries(filled.map(([key, track]) => [key, packTrack(track, parts)])),
  };
}

function packSpread(spread: ColumnSpread): ColumnSpread {
  const packed = SPREAD_KEYS.map((name) => [name, packTrack(spread[name], 1000)]);
  return Object.fromEntries(packed) as ColumnSpread;
}

function packTrack(track: Track, parts: number): Track {
  return track.map((value) => (typeof value === 'number' ? roundTo(value, parts) : value));
}

function roundTo(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
