/** Measures of a shift file. Its chains are counted together. */
import { SHIFTS_MISSING } from '../reading-aids.ts';
import type { ShiftsReading } from '../reading.ts';
import { mean, type Measure, type MeasureValues } from './measure.ts';

export const SHIFTS_MEASURES: readonly Measure[] = [
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

export function shiftsMeasures({ chains }: ShiftsReading): MeasureValues {
  const all = chains.flatMap(({ shiftCrypt }) => shiftCrypt);
  const measured = all.filter((value) => value !== null && value !== SHIFTS_MISSING);
  return {
    residues: all.length,
    measured: all.length === 0 ? null : (100 * measured.length) / all.length,
    shiftCryptMean: mean(measured.filter((value) => value !== null)),
  };
}
