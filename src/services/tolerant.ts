/**
 * Fields of answers that no contract describes in full: a missing, null or unexpected value reads as null and does not
 * affect the rest of the answer; numbers and their text forms are equal. Each rule is a function, for single fields and
 * long lists, and a Zod schema for objects.
 */
import { z } from 'zod';
import { readLooseText } from '../kinds/json.ts';

function readLooseNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export const looseText = z.unknown().optional().transform(readLooseText);

export const looseNumber = z.unknown().optional().transform(readLooseNumber);
