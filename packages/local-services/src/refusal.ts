/** Refusals: the answer to a request that is not served, and the checks of what a client sent. */
import type { z } from 'zod';

/** The body always has `error` (contract of the prediction service, 7; the other contract shows no errors). */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    error: string,
    more: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error);
    this.name = 'Refusal';
    this.status = status;
    this.body = { error, ...more };
    this.headers = headers;
  }
}

/** Of a body, in bytes. The contracts show no limit. */
export const BODY_LIMIT = 20 * 1024 * 1024;

export function refuseLargeBody(): Refusal {
  return new Refusal(413, 'The body is too large: at most 20 MiB are taken.');
}

/**
 * The value as parsed by the schema. Not Fastify's own validation, which refuses before a submission can be recorded in
 * the journal.
 * @throws Refusal 400, with the first problem of each field
 */
export function checkInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { error: explainIssue });
  if (result.success) return result.data;
  const byField = Map.groupBy(result.error.issues, ({ path }) => path.join('.'));
  throw new Refusal(400, [...byField.values()].map(([first]) => first?.message).join(' '));
}

/** For issues without a message in the schema. */
function explainIssue(issue: z.core.$ZodRawIssue): string {
  const name = issue.path?.join('.') ?? '';
  if (issue.code === 'invalid_value')
    return typeof issue.input === 'string'
      ? `${name} must be one of ${issue.values.join(', ')}.`
      : `${name} must be a string.`;
  if (issue.code !== 'invalid_type') return `${name} cannot be used.`;
  if (name === '') return 'The body must be a JSON object.';
  if (issue.input === undefined) return `${name} is required.`;
  return `${name} must be ${issue.expected === 'boolean' ? 'true or false' : `a ${issue.expected}`}.`;
}

/** Limits the length of a text, in characters: an emoji is one character. */
export function limitCharacters(text: z.ZodString, least: number, most: number, error: string) {
  return text.refine((value) => [...value].length >= least && [...value].length <= most, error);
}
