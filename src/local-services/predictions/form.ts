/** The body of a submission, JSON or multipart (contract 4). */
import type { FastifyRequest } from 'fastify';
import type { Draft } from '../admission.ts';
import { checked } from '../checked.ts';
import { Refusal } from '../refusal.ts';
import { readMultipart } from './multipart.ts';
import type { Bodies } from './schemas.ts';

export interface Form {
  readonly token: string;
  /** null if it was left out or empty. */
  readonly jobName: string | null;
  /** The input as sent: the text of a field, or of an uploaded file. */
  readonly input: string;
  /** The other fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads and checks a body. Token and name are stored in the draft as soon as they are read, for the journal. */
export async function readForm(
  request: FastifyRequest,
  bodies: Bodies,
  draft: Draft,
): Promise<Form> {
  const multipart = request.isMultipart();
  const received: unknown = multipart ? await readMultipart(request) : request.body;
  note(received, draft);
  const schema = multipart ? bodies.form : bodies.json;
  if (schema === null) throw new Refusal(400, 'The body must be multipart/form-data.');
  const fields = checked(schema, received);
  return {
    // The schema guarantees a token and one of the inputs, both as text.
    token: optionalText(fields, 'token') ?? '',
    jobName: optionalText(fields, 'job_name'),
    input:
      bodies.input.map((name) => optionalText(fields, name)).find((text) => text !== null) ?? '',
    fields,
  };
}

function note(received: unknown, draft: Draft): void {
  if (typeof received !== 'object' || received === null) return;
  const { token, job_name: jobName } = received as Readonly<Record<string, unknown>>;
  if (typeof token === 'string' && token !== '') draft.token = token;
  if (typeof jobName === 'string' && jobName !== '') draft.jobName = jobName;
}

/** A text field; null if it was left out, null or empty. */
export function optionalText(
  fields: Readonly<Record<string, unknown>>,
  name: string,
): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
