/**
 * What a job computes, apart from who asked for it: equal work is submitted once, and its result delivered to every
 * row that asks for it.
 */
import { hash } from 'node:crypto';
import type { Item, Options, Predictor } from '../domain/item.ts';
import { optionsToDisk } from './item-options.ts';

/**
 * SHA-256 of kind, canonical input and options. Predictors are left out: a job runs as many of them as are asked for,
 * so that rows which want different ones of the same sequence can share it (`covers`).
 */
export function workDigest({
  kind,
  canonical,
  options,
}: Pick<Item, 'kind' | 'canonical' | 'options'>): string {
  const settings = options.kind === 'sequence' ? '{}' : JSON.stringify(optionsToDisk(options));
  // In one call: half the time of a hash object, which a million rows feel.
  return hash('sha256', `${kind} ${settings}\n${canonical}`);
}

/** Whom a row shares its work with: nobody where it adopts a job, which is its own. */
export function shareDigest(item: Item): string {
  const { adopts, kind } = item;
  return adopts ? hash('sha256', `adopted ${kind}\n${adopts.remoteId}`) : workDigest(item);
}

/** Whether a job with these options brings all that is asked for; both of the same work. */
export function covers(job: Options, wanted: Options): boolean {
  if (job.kind !== 'sequence' || wanted.kind !== 'sequence') return true;
  return wanted.predictors.every((predictor) => job.predictors.includes(predictor));
}

/** The options of one job that does for both. */
export function combined(one: Options, other: Options): Options {
  if (one.kind !== 'sequence' || other.kind !== 'sequence') return one;
  const predictors = new Set<Predictor>([...one.predictors, ...other.predictors]);
  return { kind: 'sequence', predictors: [...predictors] };
}
