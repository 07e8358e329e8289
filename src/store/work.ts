/**
 * What a job computes, independent of the row: equal work is submitted once, and its result delivered to every row that
 * requests it.
 */
import { hash } from 'node:crypto';
import type { Item, Options, Predictor } from '../domain/item.ts';
import { optionsToDisk } from './item-options.ts';

/**
 * SHA-256 of kind, canonical input and options. Predictors are left out: a job runs all that are requested, so that
 * rows with different predictors for the same sequence can share it (`covers`).
 */
export function workDigest({
  kind,
  canonical,
  options,
}: Pick<Item, 'kind' | 'canonical' | 'options'>): string {
  const settings = options.kind === 'sequence' ? '{}' : JSON.stringify(optionsToDisk(options));
  return hash('sha256', `${kind} ${settings}\n${canonical}`);
}

/** Identifies the rows that share work; unique for a row that adopts a job, which is its own. */
export function shareDigest(item: Item): string {
  const { adopts, kind } = item;
  return adopts ? hash('sha256', `adopted ${kind}\n${adopts.remoteId}`) : workDigest(item);
}

/** Whether a job with these options provides everything requested; both of the same work. */
export function covers(job: Options, wanted: Options): boolean {
  if (job.kind !== 'sequence' || wanted.kind !== 'sequence') return true;
  return wanted.predictors.every((predictor) => job.predictors.includes(predictor));
}

/** The options of one job that serves both. */
export function combined(one: Options, other: Options): Options {
  if (one.kind !== 'sequence' || other.kind !== 'sequence') return one;
  const predictors = new Set<Predictor>([...one.predictors, ...other.predictors]);
  return { kind: 'sequence', predictors: [...predictors] };
}
