/** The measures of each kind, and their values for a result. Pure. */
import type { Kind } from '../../domain/item.ts';
import type { ResultReading } from '../reading.ts';
import { ALIGNMENT_MEASURES, alignmentMeasures } from './alignment.ts';
import type { Measure, MeasureValues } from './measure.ts';
import { MOLECULE_MEASURES, moleculeMeasures } from './molecule.ts';
import { SEQUENCE_MEASURES, sequenceMeasures } from './sequence.ts';
import { SHIFTS_MEASURES, shiftsMeasures } from './shifts.ts';

/** In table order. */
export const MEASURES: Readonly<Record<Kind, readonly Measure[]>> = {
  molecule: MOLECULE_MEASURES,
  sequence: SEQUENCE_MEASURES,
  alignment: ALIGNMENT_MEASURES,
  shifts: SHIFTS_MEASURES,
};

/** Rounded to the decimal places of each measure. */
export function measuresOf(reading: ResultReading): MeasureValues {
  const values = valuesOf(reading);
  return Object.fromEntries(
    MEASURES[reading.kind].map(({ key, decimals }) => [key, rounded(values[key], decimals)]),
  );
}

function valuesOf(reading: ResultReading): MeasureValues {
  switch (reading.kind) {
    case 'molecule':
      return moleculeMeasures(reading);
    case 'sequence':
      return sequenceMeasures(reading);
    case 'alignment':
      return alignmentMeasures(reading);
    case 'shifts':
      return shiftsMeasures(reading);
  }
}

function rounded(value: number | null | undefined, decimals: number): number | null {
  if (value == null || !Number.isFinite(value)) return null;
  // No negative zero, which a table would show with its sign.
  return Number(value.toFixed(decimals)) || 0;
}
