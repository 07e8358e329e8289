/**
 * What a job computes, independent of the row: equal work is submitted once, and its result delivered to every row that
 * requests it.
 */
import { hash } from 'node:crypto';
import type { Item } from '../domain/item.ts';
import { kindOf } from '../kinds/registry.ts';
import { optionsToDisk } from './item-options.ts';

/**
 * SHA-256 of kind and its version, canonical input and options. They are left out if rows that differ in them can share a job
 * (`KindDefinition.share`): it runs all that are requested.
 */
export function workDigest({
  kind,
  canonical,
  options,
}: Pick<Item, 'kind' | 'canonical' | 'options'>): string {
  const { share, version = 1 } = kindOf(kind);
  const settings = share ? '{}' : JSON.stringify(optionsToDisk(options));
  const name = version === 1 ? kind : `${kind}@${version}`;
  return hash('sha256', `${name} ${settings}\n${canonical}`);
}

/** Identifies the rows that share work; unique for a row that adopts a job, which is its own. */
export function shareDigest(item: Item): string {
  const { adopts, kind } = item;
  return adopts ? hash('sha256', `adopted ${kind}\n${adopts.remoteId}`) : workDigest(item);
}
