/** Results in the format of the report's page: the same values in few bytes. */
import type { MoleculeReading } from './molecule/reading.ts';
import type {
  AlignmentReading,
  ColumnSpread,
  ProteinReading,
  SequenceReading,
  ShiftsReading,
  Track,
} from './reading.ts';
import type { PackedProtein, PackedResult, PackedSpread, PackedTrack } from './page-data.ts';
import { packCurve, packTrack } from './packing.ts';

export function packMolecule(reading: MoleculeReading): PackedResult {
  const { formula, charge, atoms, bonds, estimated } = reading;
  return {
    shape: 'structure',
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

export function packSequences({ proteins }: SequenceReading): PackedResult {
  return { shape: 'proteins', proteins: proteins.map((one) => packProtein(one, packTrack)) };
}

export function packAlignment({ columns, proteins, spreads }: AlignmentReading): PackedResult {
  return {
    shape: 'aligned',
    columns,
    proteins: proteins.map((one) => packProtein(one, packCurve)),
    spreads: mapped(spreads, packSpread),
  };
}

export function packShifts({ chains }: ShiftsReading): PackedResult {
  return {
    shape: 'chains',
    chains: chains.map(({ shiftCrypt, ...chain }) => ({
      ...chain,
      shiftCrypt: packTrack(shiftCrypt),
    })),
  };
}

function packProtein(
  { name, residues, tracks, scores }: ProteinReading,
  pack: (track: Track) => PackedTrack,
): PackedProtein {
  return { name, residues, tracks: mapped(withValues(tracks), pack), scores };
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
