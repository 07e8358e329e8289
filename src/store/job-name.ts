/**
 * Names of jobs at the service: `CAMPAIGN.ID.LABEL.DIGEST`. The digest alone makes a name unique for the credential. It
 * is the same whenever the same item with the same input is submitted, so that it works as an idempotency key. `retry`
 * keeps it as long as a job of this name may be usable, and otherwise takes the next job number (reopen.ts). The parts
 * before it are for people who read the service's list.
 *
 * The label is stored in item.json when the item starts, and not read from the manifest again: an edited title would
 * change the name, and the look-up for a lost answer would miss the job.
 */
import { createHash } from 'node:crypto';
import type { Item, Options } from '../domain/item.ts';
import { asAscii } from '../domain/name.ts';
import { serviceOfKind } from '../services/registry.ts';
import { longestName } from '../services/service.ts';

/** Characters, where a name finds no job. */
const LONGEST_NAME = 120;
/** Hexadecimal digits. */
const DIGEST_LENGTH = 16;
/** Characters. */
const LONGEST_LABEL = 48;

interface NamedJob {
  readonly id: string;
  readonly jobNumber: number;
  /** Of the input. */
  readonly sha256: string;
  readonly options: Options;
  /** Of `jobLabel`; null without one. */
  readonly label: string | null;
}

/** @param longest characters that the service keeps; null: a name finds no job there */
export function nameOfJob(campaign: string, job: NamedJob, longest: number | null): string {
  const { id, jobNumber, sha256, options, label } = job;
  const digest = createHash('sha256')
    .update(JSON.stringify([campaign, id, jobNumber, sha256, options]))
    .digest('hex')
    .slice(0, DIGEST_LENGTH);
  const named = asAscii(campaign).replace(/[^A-Za-z0-9._-]+/g, '_');
  const readable = label === null ? `${named}.${id}` : `${named}.${id}.${label}`;
  return `${readable.slice(0, (longest ?? LONGEST_NAME) - DIGEST_LENGTH - 1)}.${digest}`;
}

/**
 * The part of a title used in the name of its job. ASCII, like the rest of the name: if a list encodes an accent
 * differently, an existing job would not be found and would be paid for again. Null if nothing remains, and where a
 * name finds no job.
 */
export function jobLabel({ kind, title }: Pick<Item, 'kind' | 'title'>): string | null {
  if (title === null || longestName(serviceOfKind(kind)) === null) return null;
  const label = asAscii(title)
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, LONGEST_LABEL)
    .replace(/_+$/, '');
  return label === '' ? null : label;
}
