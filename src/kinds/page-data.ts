/**
 * Results in the form in which the report's page draws them. By shape, so that a result of any kind that has one of these
 * is drawn.
 */
import type { packMolecule } from './molecule/reading.ts';
import type { packAlignment, packSequences, packShifts } from './protein/reading.ts';

export type {
  ColumnSpread,
  ProteinReading,
  Track,
  TrackBand,
  TrackFacts,
} from './protein/reading.ts';

export type PackedStructure = ReturnType<typeof packMolecule>;
export type PackedProteins = ReturnType<typeof packSequences>;
export type PackedAlignment = ReturnType<typeof packAlignment>;
export type PackedChains = ReturnType<typeof packShifts>;
export type PackedResult = PackedStructure | PackedProteins | PackedAlignment | PackedChains;
