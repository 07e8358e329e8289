/** Bodies of the prediction service (its contract, 4, 7 and 9): JSON or multipart, and their checks. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noteSender, type Draft } from './admission.ts';
import { MODEL_CLASSES } from './contract.ts';
import type { Variant } from './options.ts';
import { BODY_LIMIT, checkInput, limitCharacters, Refusal, refuseLargeBody } from './refusal.ts';

/** Maximum number of parts of a body: the endpoints use five fields. */
export const PART_LIMIT = 20;

/** Characters. */
const [TOKEN_LENGTH, JOB_NAME_LENGTH] = [100, 120];
const NAME = `job_name must be at most ${String(JOB_NAME_LENGTH)} characters.`;

/** A required text; null and the empty text are refused. */
function requireText(name: string, absent = `${name} is required.`): z.ZodString {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input == null ? absent : `${name} must be a string.`;
  return z.string({ error }).min(1, absent);
}

/** With the same messages wherever a token is given. */
export function createTokenSchema(name: string, absent?: string): z.ZodString {
  const tooLong = `${name} must be at most ${String(TOKEN_LENGTH)} characters.`;
  return limitCharacters(requireText(name, absent), 1, TOKEN_LENGTH, tooLong);
}

const jobName = limitCharacters(z.string(), 0, JOB_NAME_LENGTH, NAME);
/** On all submit endpoints (contract 7). */
const IDENTITY = { token: createTokenSchema('token'), job_name: jobName.nullish() };

type Shape = Readonly<Record<string, z.ZodType>>;

/** The two bodies of a submit endpoint; null for one that is not accepted. */
export interface Bodies {
  readonly json: z.ZodObject | null;
  readonly form: z.ZodObject;
  /** Fields for the input, text or file: exactly one of them is given. */
  readonly input: readonly string[];
}

function createFormSchema(shape: Shape, inputs: Shape, none: string): z.ZodObject {
  const names = Object.keys(inputs);
  const countGiven = (value: Readonly<Record<string, unknown>>): number =>
    names.filter((name) => value[name] !== undefined).length;
  return z
    .object({ ...IDENTITY, ...shape, ...inputs })
    .refine((value) => countGiven(value) > 0, none)
    .refine((value) => countGiven(value) < 2, `Give ${names.join(' or ')}, not both.`);
}

const createFileSchema = (name: string) =>
  z.string().regex(/\S/, `${name} must not be empty.`).optional();

/** Text in one field, or in a form a file in another (contract 4). */
function createBodySchemas(
  shape: Shape,
  formShape: Shape,
  textField: string,
  fileField: string,
): Bodies {
  const none = `${textField} is required unless ${fileField} is uploaded.`;
  const text = requireText(textField, none).regex(/\S/, none);
  return {
    json: z.object({ ...IDENTITY, ...shape, [textField]: text }),
    form: createFormSchema(
      formShape,
      { [textField]: text.optional(), [fileField]: createFileSchema(fileField) },
      none,
    ),
    input: [textField, fileField],
  };
}

const PREDICTORS = {
  predictor_type: requireText('predictor_type').regex(/[^,\s]/, 'predictor_type is required.'),
};
export const SEQUENCE_BODIES = createBodySchemas(PREDICTORS, PREDICTORS, 'sequence', 'fasta_file');
export const ALIGNMENT_BODIES = createBodySchemas({}, {}, 'msa_data', 'msa_file');

const SHIFTS = {
  model_class: z.enum(MODEL_CLASSES).nullish(),
  original_numbering: z.boolean().nullish(),
};
const SHIFTS_FORM = { ...SHIFTS, original_numbering: z.enum(['true', 'false']).optional() };
const EARLIER_FILES = {
  nef_file: createFileSchema('nef_file'),
  nrm_star_file: createFileSchema('nrm_star_file'),
};

export const SHIFTS_BODIES: Readonly<Record<Variant, Bodies>> = {
  current: createBodySchemas(SHIFTS, SHIFTS_FORM, 'chemical_shifts', 'chemical_file'),
  // 9.4: multipart only.
  earlier: {
    json: null,
    form: createFormSchema(SHIFTS_FORM, EARLIER_FILES, 'nef_file or nrm_star_file is required.'),
    input: Object.keys(EARLIER_FILES),
  },
};

/** The body of a submission. */
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
export async function readForm(request: FastifyRequest, of: Bodies, draft: Draft): Promise<Form> {
  const isForm = request.isMultipart();
  const received: unknown = isForm ? await readMultipart(request) : request.body;
  noteSender(received, draft);
  const schema = isForm ? of.form : of.json;
  if (schema === null) throw new Refusal(400, 'The body must be multipart/form-data.');
  return checkForm(schema, received, of);
}

/** @throws Refusal */
export function checkForm(schema: z.ZodObject, received: unknown, { input }: Bodies): Form {
  const fields = checkInput(schema, received);
  return {
    // The schema guarantees a token and one of the inputs, both as text.
    token: readText(fields, 'token') ?? '',
    jobName: readText(fields, 'job_name'),
    input: input.map((name) => readText(fields, name)).find((text) => text !== null) ?? '',
    fields,
  };
}

/** A text field; null if it was left out, null or empty. */
export function readText(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * Fields and the texts of uploaded files, by name; of a repeated name the last one counts.
 * @throws Refusal 413 above the limit, 400 if it is not a multipart body or not UTF-8 text
 */
async function readMultipart(request: FastifyRequest): Promise<Record<string, unknown>> {
  const fields = new Map<string, string>();
  let left = BODY_LIMIT;
  try {
    for await (const part of request.parts()) {
      const bytes = part.type === 'file' ? await part.toBuffer() : Buffer.from(toText(part.value));
      left -= bytes.length;
      if (left < 0 || (part.type === 'field' && part.valueTruncated)) throw refuseLargeBody();
      fields.set(part.fieldname, decode(bytes, part.fieldname));
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The parser's errors have other statuses (406), or none: no boundary, a truncated part.
    const { statusCode, message } = error as { statusCode?: number; message?: string };
    if (statusCode === 413) throw refuseLargeBody();
    throw new Refusal(400, `The multipart body cannot be read: ${String(message)}.`);
  }
  return Object.fromEntries(fields);
}

/** A field that declares itself as JSON is already parsed. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function decode(bytes: Uint8Array, field: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal(400, `${field} is not UTF-8 text.`);
  }
}
