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
