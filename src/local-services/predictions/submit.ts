/** The three submit endpoints of the prediction service (contract 4.1 to 4.3, and 9 for the earlier variant). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { CheckedSubmission, Draft } from '../admission.ts';
import { json, RATE_LIMIT_HEADERS, refusal, SUBMISSION_REFUSALS } from '../answers.ts';
import { parseFasta, withHeader } from '../fasta.ts';
import type { RequestType } from '../job.ts';
import type { Variant } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { detectFormat } from '../star.ts';
import { acknowledgementSchema, earlierAcknowledgementSchema } from './answers.ts';
import { ALIGNMENT_EXAMPLE, SEQUENCE_EXAMPLE, SHIFTS_EXAMPLE } from './examples.ts';
import { optionalText, readForm, type Form } from './form.ts';
import { readPredictors } from './predictors.ts';
import { ALIGNMENT_BODIES, SEQUENCE_BODIES, SHIFTS_BODIES, type Bodies } from './schemas.ts';

type Reader = (form: Form, variant: Variant) => CheckedSubmission['input'];

interface Kind {
  readonly path: string;
  readonly requestType: RequestType;
  readonly operationId: string;
  readonly summary: string;
  readonly bodies: Bodies;
  readonly example: Readonly<Record<string, unknown>>;
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
      operationId: 'submitSequence',
      summary: 'Submit sequences (4.1)',
      bodies: SEQUENCE_BODIES,
      example: SEQUENCE_EXAMPLE,
      read: readSingleSequence,
    },
    {
      path: 'msa',
      requestType: 'msa',
      operationId: 'submitAlignment',
      summary: 'Submit an alignment (4.2)',
      bodies: ALIGNMENT_BODIES,
      example: ALIGNMENT_EXAMPLE,
      read: readAlignment,
    },
    {
      path: 'shiftcrypt',
      requestType: 'shiftcrypt',
      operationId: 'submitShifts',
      summary: 'Submit chemical shifts (4.3)',
      bodies: SHIFTS_BODIES[variant],
      example: SHIFTS_EXAMPLE,
      read: readShifts,
    },
  ];
}

export function submitRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { variant } = services.settings;
  for (const kind of kinds(variant)) {
    const { path, requestType, bodies } = kind;
    const config = {
      service: 'predictions',
      endpoint: 'submit',
      requestType,
      operation: operation(kind, variant),
    } as const;
    app.post(`${base}/submit/${path}/`, { config }, async (request, reply) => {
      const draft: Draft = newDraft(request, requestType);
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

const ID = '$response.body#/request_id';

/** The next requests after the acknowledgement. */
const LINKS: ZodOpenApiResponseObject['links'] = {
  result: { operationId: 'getResult', parameters: { id: ID } },
  history: { operationId: 'getHistory', parameters: { id: ID } },
  download: { operationId: 'downloadResult', parameters: { id: ID } },
};

function operation(
  { operationId, summary, bodies, example }: Kind,
  variant: Variant,
): ZodOpenApiOperationObject {
  const schema = variant === 'earlier' ? earlierAcknowledgementSchema : acknowledgementSchema;
  const inJson =
    bodies.json === null ? {} : { 'application/json': { schema: bodies.json, example } };
  return {
    operationId,
    tags: ['submissions'],
    summary,
    requestBody: {
      required: true,
      content: { ...inJson, 'multipart/form-data': { schema: bodies.form } },
    },
    responses: {
      200: {
        ...json('Accepted: the job waits for a worker', schema, RATE_LIMIT_HEADERS.partial()),
        links: LINKS,
      },
      409: refusal('Another job of this token has the name'),
      ...SUBMISSION_REFUSALS,
    },
  };
}

function newDraft(request: FastifyRequest, requestType: RequestType): Draft {
  return { service: 'predictions', requestType, address: request.ip, token: null, jobName: null };
}
