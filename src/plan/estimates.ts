/**
 * The cost of one job, from runs of the real engines on one core of a 2-core machine (acpype 2023.10.27, b2bTools
 * 3.0.9; 280 jobs): medians, for estimates only.
 */
import type { Kind } from '../domain/item.ts';

interface Estimate {
  /** Run time in s. */
  readonly seconds: number;
  /** All files of the item in the output tree. */
  readonly bytes: number;
}

export const ESTIMATES: Readonly<Record<Kind, Estimate>> = {
  // AM1-BCC: 90 % within 15 s, at most 48 s; Gasteiger charges take half as long.
  molecule: { seconds: 2.6, bytes: 120_000 },
  // All five predictors of one protein: 90 % within 12 s, at most 24 s.
  sequence: { seconds: 3.2, bytes: 60_000 },
  alignment: { seconds: 3.1, bytes: 150_000 },
  shifts: { seconds: 1.8, bytes: 10_000 },
};
