/**
 * Zod pieces for answers of services that do not show every field: a missing, null or odd value reads as null
 * and never spoils the rest of the answer; numbers and their text forms are the same.
 */
import { z } from 'zod';

export const looseText = z
  .preprocess(
    (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
    z.string().nullable(),
  )
  .catch(null);

export const looseNumber = z
  .preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z.number().nullable(),
  )
  .catch(null);

/** Parses JSON; undefined where the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A JSON object by its keys, or null. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
