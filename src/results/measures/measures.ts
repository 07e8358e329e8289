/** The measures of each kind, and their values for a result. Pure. */
import type { Kind } from '../../domain/item.ts';
import type { ResultReading, ShiftsReading } from '../../kinds/reading.ts';
import { ALIGNMENT_MEASURES, alignmentMeasures } from './alignment.ts';
import { type Measure, type MeasureValues, mean } from './measure.ts';
import { MOLECULE_MEASURES, moleculeMeasures } from './molecule.ts';
import { SEQUENCE_MEASURES, sequenceMeasures } from './sequence.ts';
import { SHIFTS_MISSING } from '../../kinds/protein/reading-aids.ts';

/** Measures of a shift file. Its chains are counted together. */
const SHIFTS_MEASURES: readonly Measure[] = [
  {
    key: 'residues',
    title: 'Residues',
    unit: '',
    meaning: 'Residues of the chains.',
    decimals: 0,
    isMain: true,
  },
  {
    key: 'measured',
    title: 'Measured',
    unit: '%',
    meaning: 'Share of the residues with a ShiftCrypt index: enough of their shifts are known.',
    decimals: 1,
    isMain: true,
  },
  {
    key: 'shiftCryptMean',
    title: 'Mean ShiftCrypt',
    unit: '',
    meaning: 'Mean of the index where there is one: low in helices, high in strands.',
    decimals: 3,
    isMain: true,
  },
];

function shiftsMeasures({ chains }: ShiftsReading): MeasureValues {
  const all = chains.flatMap(({ shiftCrypt }) => shiftCrypt);
  const measured = all.filter((value) => value !== null && value !== SHIFTS_MISSING);
  return {
    residues: all.length,
    measured: all.length === 0 ? null : (100 * measured.length) / all.length,
    shiftCryptMean: mean(measured.filter((value) => value !== null)),
  };
}

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
