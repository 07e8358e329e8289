/** A result in the page's format: the same values in few bytes. */
import type {
  PackedMolecule,
  PackedProtein,
  PackedResult,
  PackedSpread,
  PackedTrack,
} from '../../report-page/data.ts';
import { packCurve, packTrack } from '../../report-page/packing.ts';
import type {
  ColumnSpread,
  MoleculeReading,
  ProteinReading,
  ResultReading,
  Track,
} from '../../results/reading.ts';

export function packResult(reading: ResultReading): PackedResult {
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
  const { formula, charge, atoms, bonds, orders, estimated } = reading;
  return {
    kind: 'molecule',
    formula,
    charge,
    estimated,
    orders,
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
