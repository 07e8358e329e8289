/**
 * What one job takes, from runs of the real engines on one core of a 2-core machine (acpype 2023.10.27, b2bTools
 * 3.0.9; 280 jobs, docs/benchmarks.md): medians, for estimates only.
 */
import type { Kind } from '../domain/item.ts';

export interface Estimate {
  /** Run time in s. */
  readonly seconds: number;
  /** All files of the item in the output tree. */
  readonly bytes: number;
}

export const ESTIMATES: Readonly<Record<Kind, Estimate>> = {
  // AM1-BCC: nine of ten within 15 s, 48 s at most; Gasteiger charges take half of it.
  molecule: { seconds: 2.6, bytes: 120_000 },
  // All five predictors of one protein: nine of ten within 12 s, 24 s at most.
  sequence: { seconds: 3.2, bytes: 60_000 },
  alignment: { seconds: 3.1, bytes: 150_000 },
  shifts: { seconds: 1.8, bytes: 10_000 },
};
