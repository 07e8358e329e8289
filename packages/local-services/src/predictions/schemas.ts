/** Requests to the prediction service (its contract, 4 and 9): the checks. */
import { z } from 'zod';
import { MODEL_CLASSES } from '../contract.ts';
import { characters, exactlyOne } from '../checked.ts';
import type { Variant } from '../options.ts';

const TOKEN_LENGTH = 100;
const JOB_NAME_LENGTH = 120;

/** A required text; null and the empty text are refused. */
function given(name: string, absent = `${name} is required.`): z.ZodString {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input == null ? absent : `${name} must be a string.`;
  return z.string({ error }).min(1, absent);
}

const TOKEN = {
  token: characters(
    given('token'),
    1,
    TOKEN_LENGTH,
    `token must be at most ${String(TOKEN_LENGTH)} characters.`,
  ),
};
const jobName = characters(
  z.string(),
  0,
  JOB_NAME_LENGTH,
  `job_name must be at most ${String(JOB_NAME_LENGTH)} characters.`,
);
/** With the same messages on all submit endpoints (contract 7). A form has no null. */
const IDENTITY = { ...TOKEN, job_name: jobName.nullish() };
const FORM_IDENTITY = { ...TOKEN, job_name: jobName.optional() };

/** The two bodies of a submit endpoint; null for one that is not accepted. */
export interface Bodies {
  readonly json: z.ZodObject | null;
  readonly form: z.ZodObject;
  /** Fields for the input, text or file: exactly one of them is given. */
  readonly input: readonly string[];
}

type Shape = Readonly<Record<string, z.ZodType>>;

const FILE = (name: string) => z.string().regex(/\S/, `${name} must not be empty.`).optional();

function form(shape: Shape, inputs: Shape, words: { none: string; several: string }): z.ZodObject {
  return exactlyOne(
    z.object({ ...FORM_IDENTITY, ...shape, ...inputs }),
    Object.keys(inputs),
    words,
  );
}

/** Text in one field, or in a form a file in another (contract 4). */
function bodies(shape: Shape, formShape: Shape, textField: string, fileField: string): Bodies {
  const none = `${textField} is required unless ${fileField} is uploaded.`;
  const several = `Give ${textField} or ${fileField}, not both.`;
  const text = given(textField, none).regex(/\S/, none);
  return {
    json: z.object({ ...IDENTITY, ...shape, [textField]: text }),
    form: form(
      formShape,
      { [textField]: text.optional(), [fileField]: FILE(fileField) },
      { none, several },
    ),
    input: [textField, fileField],
  };
}

const PREDICTOR_TYPE = {
  predictor_type: given('predictor_type').regex(/[^,\s]/, 'predictor_type is required.'),
};

const SHIFTS = {
  model_class: z.enum(MODEL_CLASSES).nullish(),
  original_numbering: z.boolean().nullish(),
};
const SHIFTS_FORM = {
  model_class: z.enum(MODEL_CLASSES).optional(),
  original_numbering: z.enum(['true', 'false']).optional(),
};

/** 9.4: multipart only, the file in `nef_file` or `nrm_star_file`. */
const EARLIER_SHIFTS: Bodies = {
  json: null,
  form: form(
    SHIFTS_FORM,
    { nef_file: FILE('nef_file'), nrm_star_file: FILE('nrm_star_file') },
    {
      none: 'nef_file or nrm_star_file is required.',
      several: 'Give nef_file or nrm_star_file, not both.',
    },
  ),
  input: ['nef_file', 'nrm_star_file'],
};

export const SEQUENCE_BODIES = bodies(PREDICTOR_TYPE, PREDICTOR_TYPE, 'sequence', 'fasta_file');
export const ALIGNMENT_BODIES = bodies({}, {}, 'msa_data', 'msa_file');
export const SHIFTS_BODIES: Readonly<Record<Variant, Bodies>> = {
  current: bodies(SHIFTS, SHIFTS_FORM, 'chemical_shifts', 'chemical_file'),
  earlier: EARLIER_SHIFTS,
};

const FORMATS = ['json', 'csv', 'metadata', 'input', 'distributions'] as const;

export const downloadQuery = z.object({
  format: z.enum(FORMATS, {
    error: `format is required and must be one of ${FORMATS.join(', ')}.`,
  }),
});
export const alignmentQuery = z.object({
  token: z.string({ error: 'The query parameter token is required.' }).min(1),
});
