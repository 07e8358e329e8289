/** Measures of a shift file. Its chains are counted together. */
import type { Measure } from '../kind.ts';
import { SHIFTS_MISSING } from './reading-aids.ts';
import type { ShiftsReading } from '../reading.ts';
import { mean } from '../measure.ts';

export const SHIFTS_MEASURES = {
  residues: {
    title: 'Residues',
    unit: '',
    meaning: 'Residues of the chains.',
    decimals: 0,
    isMain: true,
    of: (result) => indicesIn(result).length,
  },
  measured: {
    title: 'Measured',
    unit: '%',
    meaning: 'Share of the residues with a ShiftCrypt index: enough of their shifts are known.',
    decimals: 1,
    isMain: true,
    column: 'measured_percent',
    of(result) {
      const all = indicesIn(result).length;
      return all === 0 ? null : (100 * measuredIn(result).length) / all;
    },
  },
  shiftCryptMean: {
    title: 'Mean ShiftCrypt',
    unit: '',
    meaning: 'Mean of the index where there is one: low in helices, high in strands.',
    decimals: 3,
    isMain: true,
    column: 'shiftCrypt_mean',
    of: (result) => mean(measuredIn(result)),
  },
} as const satisfies Readonly<Record<string, Measure<ShiftsReading>>>;

export function indicesIn({ chains }: ShiftsReading): (number | null)[] {
  return chains.flatMap(({ shiftCrypt }) => shiftCrypt);
}

export function measuredIn(result: ShiftsReading): number[] {
  return indicesIn(result).filter(
    (value) => value !== null && value !== SHIFTS_MISSING,
  ) as number[];
}
