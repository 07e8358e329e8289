/**
 * Zod schemas for answers of services that do not document every field: a missing, null or unexpected value reads as
 * null and does not affect the rest of the answer; numbers and their text forms are equal.
 */
import { z } from 'zod';

export const looseText = z.preprocess(textOf, z.string().nullable()).catch(null);

export const looseNumber = z
  .preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : orNull(value)),
    z.number().nullable(),
  )
  .catch(null);

/** The same as `looseText`: lists have 30,000 entries with ten keys each, most of them missing. */
export function readLooseText(value: unknown): string | null {
  const text = textOf(value);
  return typeof text === 'string' ? text : null;
}

function textOf(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : orNull(value);
}

/** For a missing value, Zod would prepare an error message first. */
function orNull(value: unknown): unknown {
  return value === undefined ? null : value;
}
