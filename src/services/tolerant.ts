/**
 * Zod schemas for answers of services that do not document every field: a missing, null or unexpected value reads as
 * null and does not affect the rest of the answer; numbers and their text forms are equal.
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
