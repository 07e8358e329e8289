/** The contract of the prediction service, section 9: the earlier variant, numbered as its list. */
import { describe, expect, test } from 'vitest';
import type { LocalServices } from '../../src/local-services/server.ts';
import type { LocalServicesOptions } from '../../src/local-services/options.ts';
import {
  ALIGNMENT,
  FASTA,
  get,
  NEF,
  postForm,
  postJson,
  start,
  TOKEN,
  until,
  type Answer,
  type Protein,
} from './running-services.ts';

async function startEarlier(options: LocalServicesOptions = {}): Promise<LocalServices> {
  return start({ variant: 'earlier', ...options });
}

function earlier(services: LocalServices): string {
  return `${services.url}/online-predictors/api`;
}

/** 9.5 */
interface Wrapped {
  readonly status: string;
  readonly predictor: string;
  readonly results: { readonly sequence: string; readonly prediction: unknown };
}

function wrapped(answer: Answer): Wrapped {
  return answer.body as unknown as Wrapped;
}

/** The protein in the FASTA text of these tests. */
function protein({ results }: Wrapped): Protein {
  return (results.prediction as { proteins: { one: Protein } }).proteins.one;
}

async function submit(services: LocalServices, predictor_type: string, sequence = FASTA) {
  const body = { token: TOKEN, predictor_type, sequence };
  return postJson(`${earlier(services)}/submit/single-sequence/`, body);
}

describe('9 the earlier variant', () => {
  test('9.1 has its base path with hyphens, and not with underscores', async () => {
    const services = await startEarlier();
    expect((await submit(services, 'dynamine')).status).toBe(200);
    const body = { token: TOKEN, predictor_type: 'dynamine', sequence: FASTA };
    const url = `${services.url}/online_predictors/api/submit/single-sequence/`;
    expect((await postJson(url, body)).status).toBe(404);
  });

  test('9.2 names its predictors dynamine, disomine, earlyfolding, agmata and psp', async () => {
    const services = await startEarlier();
    const { body: ack } = await submit(services, 'dynamine,disomine,earlyfolding,agmata,psp');
    const body = wrapped(await until(`${earlier(services)}/results/${ack.request_id}/`));
    const keys = Object.keys(protein(body));
    expect(keys).toEqual(
      expect.arrayContaining(['backbone', 'earlyFolding', 'disoMine', 'agmata', 'RRM']),
    );
    const { body: wrong } = await submit(services, 'efoldmine,psper');
    const failed = await until(`${earlier(services)}/results/${wrong.request_id}/`);
    expect(failed.body).toEqual({ error: 'Invalid predictor types: efoldmine, psper' });
  });

  test('9.3 acknowledges with only request_id and status', async () => {
    const services = await startEarlier();
    const { body } = await submit(services, 'dynamine');
    expect(body).toEqual({ request_id: expect.any(String), status: 'enqueued' });
  });

  test('9.4 accepts shift data as multipart with nef_file or nrm_star_file', async () => {
    const services = await startEarlier();
    const url = `${earlier(services)}/submit/shiftcrypt/`;
    for (const field of ['nef_file', 'nrm_star_file']) {
      const { status, body } = await postForm(url, { token: TOKEN, [field]: { file: NEF } });
      expect(status).toBe(200);
      const result = await until(`${earlier(services)}/results/${body.request_id}/`);
      expect(wrapped(result).results.prediction).toMatchObject([{ sequence: ['M', 'K', 'V'] }]);
    }
    const json = await postJson(url, { token: TOKEN, chemical_shifts: NEF });
    expect(json.status).toBe(400);
    const both = { token: TOKEN, nef_file: { file: NEF }, nrm_star_file: { file: NEF } };
    expect((await postForm(url, both)).status).toBe(400);
    expect((await postForm(url, { token: TOKEN })).body.error).toContain('nef_file');
  });

  test('9.5 wraps a finished result', async () => {
    const services = await startEarlier();
    const { body: ack } = await submit(services, 'dynamine');
    const answer = await until(`${earlier(services)}/results/${ack.request_id}/`);
    expect(answer.status).toBe(200);
    const body = wrapped(answer);
    expect(Object.keys(body)).toEqual(['status', 'predictor', 'timestamp', 'results']);
    expect(body).toMatchObject({ status: 'success', predictor: 'dynamine' });
    expect(Object.keys(body.results)).toEqual(['sequence', 'prediction']);
    expect(body.results.sequence).toBe('MKVLAAGIVGLCAKAYLEQW');
    expect(protein(body)['seq']?.join('')).toBe(body.results.sequence);
  });

  test('9.5 wraps an alignment too', async () => {
    const services = await startEarlier();
    const body = { token: TOKEN, msa_data: ALIGNMENT };
    const { body: ack } = await postJson(`${earlier(services)}/submit/msa/`, body);
    const result = wrapped(await until(`${earlier(services)}/results/${ack.request_id}/`));
    expect(result.results.sequence).toBe(ALIGNMENT);
    expect(result.predictor).toBe('msa');
  });

  test('9.6 returns only RUNNING for an unfinished job and only error for a failed one', async () => {
    const services = await startEarlier({ jobMs: 60_000 });
    const { body: ack } = await submit(services, 'dynamine');
    const running = await get(`${earlier(services)}/results/${ack.request_id}/`);
    expect(running.status).toBe(202);
    expect(running.body).toEqual({ status: 'RUNNING' });
    expect(running.headers.get('Retry-After')).toBe('5');
    const { body: wrong } = await submit(services, 'nosuch');
    const failed = await until(`${earlier(services)}/results/${wrong.request_id}/`);
    expect(failed.status).toBe(422);
    expect(failed.body).toEqual({ error: 'Invalid predictor types: nosuch' });
  });
});
