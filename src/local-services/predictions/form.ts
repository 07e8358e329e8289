/**
 * The body of a submission, JSON or multipart (contract 4): fields and uploaded files by name, with the checks that
 * read the same on all three endpoints.
 */
import type { FastifyRequest } from 'fastify';
import type { Draft } from '../admission.ts';
import { Refusal } from '../refusal.ts';

const TOKEN_LENGTH = 100;
const JOB_NAME_LENGTH = 120;

export interface Form {
  readonly multipart: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Text of the uploaded files, by field name. */
  readonly files: ReadonlyMap<string, string>;
}

function utf8(bytes: Uint8Array, field: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal(400, `${field} is not UTF-8 text.`);
  }
}

export async function readForm(request: FastifyRequest): Promise<Form> {
  if (!request.isMultipart()) {
    const body = request.body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new Refusal(400, 'The body must be a JSON object or multipart/form-data.');
    }
    return { multipart: false, fields: { ...body }, files: new Map() };
  }
  const fields: Record<string, unknown> = {};
  const files = new Map<string, string>();
  for await (const part of request.parts()) {
    if (part.type === 'file')
      files.set(part.fieldname, utf8(await part.toBuffer(), part.fieldname));
    else fields[part.fieldname] = part.value;
  }
  return { multipart: true, fields, files };
}

/** A text field, or null when it was left out, null or empty. */
export function optionalText(form: Form, name: string): string | null {
  const value = form.fields[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new Refusal(400, `${name} must be a string.`);
  return value;
}

/** Token and job name, the same words on all submit endpoints (contract 2.1, 7, 8). Notes both in the draft. */
export function readIdentity(form: Form, draft: Draft): { token: string; jobName: string | null } {
  const token = optionalText(form, 'token');
  if (token === null) throw new Refusal(400, 'token is required.');
  draft.token = token;
  if (token.length > TOKEN_LENGTH) {
    throw new Refusal(400, `token must be at most ${String(TOKEN_LENGTH)} characters.`);
  }
  const jobName = optionalText(form, 'job_name');
  draft.jobName = jobName;
  if (jobName !== null && jobName.length > JOB_NAME_LENGTH) {
    throw new Refusal(400, `job_name must be at most ${String(JOB_NAME_LENGTH)} characters.`);
  }
  return { token, jobName };
}

/** The input: text in a field, or a file in a multipart body, never both. */
export function readInput(form: Form, textField: string, fileField: string): string {
  const text = optionalText(form, textField);
  const file = form.files.get(fileField) ?? null;
  if (text !== null && file !== null) {
    throw new Refusal(400, `Give ${textField} or ${fileField}, not both.`);
  }
  const input = text ?? file;
  if (input === null || input.trim() === '') {
    throw new Refusal(400, `${textField} is required unless ${fileField} is uploaded.`);
  }
  return input;
}
