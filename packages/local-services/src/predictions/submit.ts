/** The three submit endpoints of the prediction service (contract 4.1 to 4.3, and 9 for the earlier variant). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newDraft, note, type CheckedSubmission, type Draft } from '../admission.ts';
import { parseFasta, withHeader } from '../fasta.ts';
import type { RequestType } from '../job.ts';
import type { Variant } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { detectFormat } from '../star.ts';
import { ALIGNMENT_BODIES, SEQUENCE_BODIES, SHIFTS_BODIES, type Bodies } from './schemas.ts';
import { checked } from '../checked.ts';
import { readMultipart } from './multipart.ts';
import { PREDICTORS, type Predictor } from '../contract.ts';

type Reader = (form: Form, variant: Variant) => CheckedSubmission['input'];

interface Kind {
  readonly path: string;
  readonly requestType: RequestType;
  readonly bodies: Bodies;
  readonly read: Reader;
}

function readSingleSequence({ fields, input }: Form, variant: Variant): ReturnType<Reader> {
  const predictorType = optionalText(fields, 'predictor_type');
  const { predictors, unknown } = readPredictors(predictorType ?? '', variant);
  return {
    job: {
      kind: 'sequence',
      fasta: withHeader(input),
      predictors,
      unknownPredictors: unknown,
    },
    original: input,
    details: { predictor_type: predictorType },
  };
}

function readAlignment({ input }: Form): ReturnType<Reader> {
  const { plain, records } = parseFasta(input);
  if (plain !== '')
    throw new Refusal(400, 'The alignment must be FASTA text that begins with ">".');
  if (records.length < 2) throw new Refusal(400, 'The alignment must have at least two sequences.');
  const lengths = new Set(records.map((record) => record.residues.length));
  if (lengths.size > 1) {
    const found = [...lengths].join(', ');
    throw new Refusal(
      400,
      `The sequences of the alignment must be padded to the same length with "-"; found lengths ${found}.`,
    );
  }
  return { job: { kind: 'alignment', fasta: input }, original: input, details: {} };
}

function readShifts({ fields, input }: Form): ReturnType<Reader> {
  const modelClass = optionalText(fields, 'model_class') ?? '1';
  // A boolean in JSON, the text true or false in a multipart form (contract 4.3).
  const numbering = fields['original_numbering'] ?? true;
  const originalNumbering = numbering === true || numbering === 'true';
  const format = detectFormat(input);
  return {
    job: { kind: 'shifts', text: input, format, modelClass, originalNumbering },
    original: input,
    details: { model_class: modelClass, original_numbering: String(originalNumbering) },
  };
}

function kinds(variant: Variant): readonly Kind[] {
  return [
    {
      path: 'single-sequence',
      requestType: 'single_sequence',
      bodies: SEQUENCE_BODIES,
      read: readSingleSequence,
    },
    {
      path: 'msa',
      requestType: 'msa',
      bodies: ALIGNMENT_BODIES,
      read: readAlignment,
    },
    {
      path: 'shiftcrypt',
      requestType: 'shiftcrypt',
      bodies: SHIFTS_BODIES[variant],
      read: readShifts,
    },
  ];
}

export function submitRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { variant } = services.settings;
  for (const kind of kinds(variant)) {
    const { path, requestType, bodies } = kind;
    const config = { service: 'predictions', endpoint: 'submit', requestType } as const;
    app.post(`${base}/submit/${path}/`, { config }, async (request, reply) => {
      const draft = newDraft(request);
      const accepted = await services.admission.receive(draft, async () => {
        const form = await readForm(request, bodies, draft);
        const input = kind.read(form, variant);
        return { token: form.token, uniqueName: form.jobName, public: false, input };
      });
      void reply.headers(accepted.headers);
      if (variant === 'earlier') return { request_id: accepted.id, status: 'enqueued' };
      return {
        request_id: accepted.id,
        task_id: accepted.taskId,
        status: 'enqueued',
        message: 'The request was accepted and waits for a worker.',
      };
    });
  }
}

/** The body of a submission, JSON or multipart (contract 4). */
interface Form {
  readonly token: string;
  /** null if it was left out or empty. */
  readonly jobName: string | null;
  /** The input as sent: the text of a field, or of an uploaded file. */
  readonly input: string;
  /** The other fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads and checks a body. Token and name are stored in the draft as soon as they are read, for the journal. */
async function readForm(request: FastifyRequest, bodies: Bodies, draft: Draft): Promise<Form> {
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

/** A text field; null if it was left out, null or empty. */
function optionalText(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The predictor names of the two variants of the prediction service (contract 4.1 and 9.2). */
const NAMES: Readonly<Record<Variant, ReadonlyMap<string, Predictor>>> = {
  current: new Map(PREDICTORS.map((name) => [name, name])),
  earlier: new Map([
    ['dynamine', 'dynamine'],
    ['disomine', 'disomine'],
    ['earlyfolding', 'efoldmine'],
    ['agmata', 'agmata'],
    ['psp', 'psper'],
  ]),
};

/** Splits `predictor_type` into predictors, with their current names, and names that are unknown to the variant. */
function readPredictors(
  predictorType: string,
  variant: Variant,
): { predictors: Predictor[]; unknown: string[] } {
  const names = new Set(predictorType.split(',').map((name) => name.trim()));
  names.delete('');
  const predictors: Predictor[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const predictor = NAMES[variant].get(name);
    if (predictor === undefined) unknown.push(name);
    else predictors.push(predictor);
  }
  return { predictors, unknown };
}
