/**
 * Checks a client's input by a schema.
 *
 * Fastify's own validation is not used: it refuses before a submission can be recorded in the journal.
 */
import type { z } from 'zod';
import { Refusal } from './refusal.ts';

/** The value as parsed by the schema. Throws a Refusal: 400, with all problems as text. */
export function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { error: words });
  if (result.success) return result.data;
  // For each field only the first problem: the others follow from it.
  const byField = Map.groupBy(result.error.issues, ({ path }) => path.join('.'));
  const problems = [...byField.values()].map(([first]) => first?.message);
  throw new Refusal(400, problems.join(' '));
}

/** For issues without a message in the schema. */
function words(issue: z.core.$ZodRawIssue): string {
  const name = issue.path?.join('.') ?? '';
  switch (issue.code) {
    case 'invalid_type':
      if (name === '') return 'The body must be a JSON object.';
      if (issue.input === undefined) return `${name} is required.`;
      if (issue.expected === 'boolean') return `${name} must be true or false.`;
      return `${name} must be a ${issue.expected}.`;
    case 'invalid_value':
      if (typeof issue.input !== 'string') return `${name} must be a string.`;
      return `${name} must be one of ${issue.values.join(', ')}.`;
    default:
      return `${name} cannot be used.`;
  }
}

/** Limits the length of a text, in characters: an emoji is one character. */
export function characters(
  text: z.ZodString,
  least: number,
  most: number,
  error: string,
): z.ZodString {
  const fits = (value: string): boolean => {
    const { length } = [...value];
    return length >= least && length <= most;
  };
  return text.refine(fits, error);
}

/** Requires exactly one of these fields of an object. */
export function exactlyOne(
  schema: z.ZodObject,
  names: readonly string[],
  words: { readonly none: string; readonly several: string },
): z.ZodObject {
  const given = (value: Readonly<Record<string, unknown>>): number =>
    names.filter((name) => value[name] !== undefined).length;
  return schema
    .refine((value) => given(value) > 0, words.none)
    .refine((value) => given(value) < 2, words.several);
}
