/** Submits to the prediction service (contract 4.1 to 4.3). */
import type { SubmitOutcome } from '../../domain/outcomes.ts';
import type { Job, SubmitOptions } from '../client.ts';
import { NO_JOB, ping } from '../ping.ts';
import { readSubmission, settled } from '../submission.ts';
import type { PredictionsAccess } from './access.ts';
import { predictorName, shiftsForm } from './earlier.ts';
import { readAcknowledgedId } from './schemas.ts';

interface SubmissionRequest {
  readonly endpoint: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export async function submit(
  access: PredictionsAccess,
  job: Job,
  { signal, permission, beforeSending, mayBegin }: SubmitOptions,
): Promise<SubmitOutcome> {
  const { endpoint, contentType, bytes } = await prepare(access, job);
  const answer = await access.http.send({
    method: 'POST',
    url: access.api('submit', endpoint, ''),
    body: { contentType, bytes },
    signal,
    permission,
    beforeSending,
    mayBegin,
  });
  const outcome = await readSubmission(answer, { remoteId: readAcknowledgedId });
  return settled(outcome, () => ping(access.http, noJob(access), { signal }));
}

/** The status of a job that does not exist. */
export function noJob({ api }: Pick<PredictionsAccess, 'api'>): URL {
  return api('results', NO_JOB, '');
}

async function prepare(access: PredictionsAccess, job: Job): Promise<SubmissionRequest> {
  const { token, variant } = access;
  const { options, input } = job;
  // Unique per token (section 7), so a look-up by name shows what became of an unsure submission. The rule is stated
  // for all three endpoints, though the table of `submit/msa/` does not list the field.
  const common = { token, job_name: job.name };
  switch (options.kind) {
    case 'sequence': {
      const names = options.predictors.map((predictor) => predictorName(predictor, variant));
      return json('single-sequence', {
        ...common,
        predictor_type: names.join(','),
        sequence: input.text,
      });
    }
    case 'alignment':
      return json('msa', { ...common, msa_data: input.text });
    case 'shifts':
      if (variant === 'earlier') {
        return { endpoint: 'shiftcrypt', ...(await shiftsForm(common, options, input)) };
      }
      return json('shiftcrypt', {
        ...common,
        chemical_shifts: input.text,
        model_class: options.modelClass,
        original_numbering: options.originalNumbering,
      });
    case 'molecule':
      throw new TypeError('the prediction service takes no molecules');
  }
}

function json(endpoint: string, body: Readonly<Record<string, unknown>>): SubmissionRequest {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return { endpoint, contentType: 'application/json', bytes };
}
