/** The contract of the prediction service: what a token gives access to. Named after its sections. */
import { describe, expect, test } from 'vitest';
import {
  api,
  FASTA,
  get,
  runSequence,
  start,
  submitAlignment,
  submitSequence,
  submitShifts,
  TOKEN,
  until,
} from './running-services.ts';
import type { LocalServices } from '../../src/local-services/server.ts';

const OWNER = { 'X-Service-Token': TOKEN };

async function download(
  services: LocalServices,
  id: string,
  format: string,
  headers: Record<string, string> = OWNER,
) {
  return get(`${api(services)}/results/${id}/download/?format=${format}`, headers);
}

describe('4.6 download', () => {
  test('json is the result, byte by byte; input is the input as it was sent', async () => {
    const services = await start();
    const { id, result } = await runSequence(services);
    expect((await download(services, id, 'json')).text).toBe(result.text);
    const input = await download(services, id, 'input');
    expect(input.text).toBe(FASTA);
    expect(input.headers.get('Content-Disposition')).toContain('attachment');
  });

  test('csv has one line per residue, metadata one per sequence', async () => {
    const services = await start();
    const { id } = await runSequence(services);
    const csv = await download(services, id, 'csv');
    expect(csv.headers.get('Content-Type')).toContain('text/csv');
    expect(csv.text.trim().split('\n')).toHaveLength(21);
    expect((await download(services, id, 'metadata')).text.trim().split('\n')).toHaveLength(2);
  });

  test('distributions exist for an alignment; a format that does not exist is 404', async () => {
    const services = await start();
    const { body } = await submitAlignment(services);
    await until(`${api(services)}/results/${body.request_id}/`);
    const found = await download(services, body.request_id, 'distributions');
    expect(found.body).toMatchObject({ results: { backbone: { median: { length: 8 } } } });
    const { id } = await runSequence(services);
    const absent = await download(services, id, 'distributions');
    expect(absent.status).toBe(404);
    expect(absent.body.error).toContain('no distributions');
  });

  test('is for the owner only: 401 without a token, 403 with another', async () => {
    const services = await start();
    const { id } = await runSequence(services);
    expect((await download(services, id, 'json', {})).status).toBe(401);
    const other = await download(services, id, 'json', { 'X-Service-Token': 'another' });
    expect(other.status).toBe(403);
    expect(other.text, 'nothing of the result').not.toContain('backbone');
  });

  test('another format is 400, an unknown id 404', async () => {
    const services = await start();
    const { id } = await runSequence(services);
    expect((await download(services, id, 'zip')).status).toBe(400);
    expect((await get(`${api(services)}/results/${id}/download/`, OWNER)).status).toBe(400);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await download(services, unknown, 'json')).status).toBe(404);
  });

  test('is available once the job is finished: 409 before, 422 when it failed', async () => {
    const services = await start({ jobMs: 60_000 });
    const { body } = await submitSequence(services);
    expect((await download(services, body.request_id, 'input')).status).toBe(409);
    const failed = await runSequence(services, { predictor_type: 'nosuch' });
    const answer = await download(services, failed.id, 'json');
    expect(answer.status).toBe(422);
    expect(answer.body.error).toContain('nosuch');
  });

  test('answers on the path without /api/ too', async () => {
    const services = await start();
    const { id, result } = await runSequence(services);
    const url = `${services.url}/online_predictors/results/${id}/download/?format=json`;
    expect((await get(url, OWNER)).text).toBe(result.text);
    expect((await get(url, {})).status).toBe(401);
  });
});

describe('4.7 past-results and 2.7 their entries', () => {
  test('list every request of the token by type, the newest first, with the timing block', async () => {
    const services = await start();
    const first = await runSequence(services, { job_name: 'first' });
    await runSequence(services, { job_name: 'second', predictor_type: 'nosuch' });
    await submitAlignment(services, { job_name: 'third' });
    await submitSequence(services, { token: 'another', job_name: 'not mine' });
    const { status, list } = await get(`${api(services)}/past-results/single-sequence/`, OWNER);
    expect(status).toBe(200);
    expect(list.map((entry) => [entry.job_name, entry.status])).toEqual([
      ['second', 'FAILED'],
      ['first', 'FINISHED'],
    ]);
    expect(list[1]?.request_id).toBe(first.id);
    for (const entry of list) {
      expect(entry.timing).toMatchObject({
        queued_at: expect.any(String),
        time_limit_seconds: 3600,
      });
    }
  });

  test('exist for all three types and require the header', async () => {
    const services = await start();
    await submitAlignment(services, { job_name: 'an alignment' });
    await submitShifts(services, { job_name: 'shifts' });
    for (const [path, names] of [
      ['single-sequence', []],
      ['msa', ['an alignment']],
      ['shiftcrypt', ['shifts']],
    ] as const) {
      const url = `${api(services)}/past-results/${path}/`;
      const { list } = await get(url, OWNER);
      expect(list.map((entry) => entry.job_name)).toEqual(names);
      expect((await get(url)).status).toBe(401);
    }
  });
});

describe('4.8 past-results/shiftcrypt/alignment/', () => {
  test('returns the chains of finished shift predictions; the token is in the query', async () => {
    const services = await start();
    const { body: ack } = await submitShifts(services, { job_name: 'shifts' });
    await until(`${api(services)}/results/${ack.request_id}/`);
    const url = `${api(services)}/past-results/shiftcrypt/alignment/`;
    const { status, body } = await get(`${url}?token=${encodeURIComponent(TOKEN)}`);
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        request_id: ack.request_id,
        job_name: 'shifts',
        chains: [
          {
            ID_file: expect.any(String),
            chainCode: 'A',
            sequence: ['M', 'K', 'V'],
            seqCodes: [11, 12, 13],
          },
        ],
      },
    ]);
    expect((await get(`${url}?token=another`)).body).toEqual([]);
    expect((await get(url, OWNER)).status, 'the header is not for this one').toBe(400);
  });
});
