/**
 * Results in the form in which the report's page draws them: the same values in few bytes. By shape, so that a result of
 * any kind that has one of these is drawn.
 */
import type { EstimatedParameter } from './molecule/reading.ts';
import type { ChainReading, ColumnSpread, ProteinReading } from './protein/reading.ts';

/** Values along a chain, one per position; null for no value. Values that cannot be packed are kept unchanged. */
export type PackedTrack =
  | PackedLetters
  | { readonly values: readonly (number | null)[] }
  | { readonly words: readonly string[]; readonly places: readonly (number | null)[] };

/** Each value is `from` plus a number of steps, encoded in `width` letters (protein/packing.ts). */
export interface PackedLetters {
  readonly letters: string;
  readonly width: 1 | 2;
  readonly from: number;
  readonly step: number;
}

export type PackedProtein = Omit<ProteinReading, 'tracks'> & {
  readonly tracks: Readonly<Record<string, PackedTrack>>;
};

export interface PackedStructure {
  readonly shape: 'structure';
  readonly formula: string;
  /** Sum over the topology, in elementary charges. */
  readonly charge: number;
  /** Parallel lists, one entry per atom. */
  readonly names: readonly string[];
  readonly elements: readonly string[];
  readonly types: readonly string[];
  /** In ten-thousandths of the elementary charge. */
  readonly charges: readonly number[];
  /** x, y, z of each atom in turn, in hundredths of an ångström. */
  readonly places: readonly number[];
  /** Pairs of atom indexes from 0, concatenated. */
  readonly bonds: readonly number[];
  readonly estimated: readonly EstimatedParameter[];
}

export interface PackedProteins {
  readonly shape: 'proteins';
  readonly proteins: readonly PackedProtein[];
}

export interface PackedAlignment {
  readonly shape: 'aligned';
  readonly columns: number;
  readonly proteins: readonly PackedProtein[];
  /** By the payload's key; each with median, quartiles and whiskers. */
  readonly spreads: Readonly<Record<string, PackedSpread>>;
}

export type PackedSpread = Readonly<Record<keyof ColumnSpread, PackedTrack>>;

export interface PackedChains {
  readonly shape: 'chains';
  readonly chains: readonly (Omit<ChainReading, 'shiftCrypt'> & {
    readonly shiftCrypt: PackedTrack;
  })[];
}

export type PackedResult = PackedStructure | PackedProteins | PackedAlignment | PackedChains;
