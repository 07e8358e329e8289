/** The three submit endpoints of the prediction service (contract 4.1 to 4.3, and 9 for the earlier variant). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MODEL_CLASSES } from '../../domain/item.ts';
import type { Draft, Submission } from '../admission.ts';
import { parseFasta, withHeader } from '../fasta.ts';
import type { RequestType } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { detectFormat } from '../star.ts';
import { readEarlierShifts } from './earlier.ts';
import { optionalText, readForm, readIdentity, readInput, type Form } from './form.ts';
import { readPredictors } from './predictors.ts';

type Reader = (form: Form, services: Services) => Omit<Submission, 'token' | 'uniqueName'>;

function readSingleSequence(form: Form, services: Services): ReturnType<Reader> {
  const predictorType = optionalText(form, 'predictor_type');
  const { predictors, unknown } = readPredictors(predictorType ?? '', services.settings.variant);
  if (predictors.length + unknown.length === 0)
    throw new Refusal(400, 'predictor_type is required.');
  const original = readInput(form, 'sequence', 'fasta_file');
  const fasta = withHeader(original);
  return {
    input: {
      job: { kind: 'sequence', fasta, predictors, unknownPredictors: unknown },
      original,
      details: { predictor_type: predictorType },
    },
  };
}

function readAlignment(form: Form): ReturnType<Reader> {
  const original = readInput(form, 'msa_data', 'msa_file');
  const { plain, records } = parseFasta(original);
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
  return { input: { job: { kind: 'alignment', fasta: original }, original, details: {} } };
}

function readShifts(form: Form, services: Services): ReturnType<Reader> {
  const original =
    services.settings.variant === 'earlier'
      ? readEarlierShifts(form)
      : readInput(form, 'chemical_shifts', 'chemical_file');
  const modelClass = optionalText(form, 'model_class') ?? '1';
  if (!(MODEL_CLASSES as readonly string[]).includes(modelClass)) {
    throw new Refusal(400, `model_class must be one of ${MODEL_CLASSES.join(', ')}.`);
  }
  const originalNumbering = readFlag(form, 'original_numbering', true);
  const format = detectFormat(original);
  return {
    input: {
      job: { kind: 'shifts', text: original, format, modelClass, originalNumbering },
      original,
      details: { model_class: modelClass, original_numbering: String(originalNumbering) },
    },
  };
}

/** A boolean in JSON, the text true or false in a multipart form (contract 4.3). */
function readFlag(form: Form, name: string, fallback: boolean): boolean {
  const value = form.fields[name];
  if (value === undefined || value === null) return fallback;
  if (!form.multipart && typeof value === 'boolean') return value;
  if (form.multipart && (value === 'true' || value === 'false')) return value === 'true';
  throw new Refusal(400, `${name} must be true or false.`);
}

export function submitRoutes(app: FastifyInstance, base: string, services: Services): void {
  const route = (path: string, requestType: RequestType, read: Reader): void => {
    const config = { service: 'predictions', endpoint: 'submit', requestType } as const;
    app.post(`${base}/submit/${path}/`, { config }, async (request, reply) => {
      const draft: Draft = newDraft(request, requestType);
      const accepted = await services.admission.receive(draft, async () => {
        const form = await readForm(request);
        const { token, jobName } = readIdentity(form, draft);
        return { token, uniqueName: jobName, ...read(form, services) };
      });
      void reply.headers(accepted.headers);
      if (services.settings.variant === 'earlier') {
        return { request_id: accepted.id, status: 'enqueued' };
      }
      return {
        request_id: accepted.id,
        task_id: accepted.taskId,
        status: 'enqueued',
        message: 'The request was accepted and waits for a worker.',
      };
    });
  };
  route('single-sequence', 'single_sequence', readSingleSequence);
  route('msa', 'msa', readAlignment);
  route('shiftcrypt', 'shiftcrypt', readShifts);
}

function newDraft(request: FastifyRequest, requestType: RequestType): Draft {
  return { service: 'predictions', requestType, address: request.ip, token: null, jobName: null };
}
