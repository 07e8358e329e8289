/** What a public service needs: limits, an orderly stop, logs without secrets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  ALIGNMENT,
  api,
  databaseFile,
  get,
  MOLECULE,
  NEF,
  postForm,
  postJson,
  runSequence,
  start,
  submitMolecule,
  submitSequence,
  submitShifts,
  until,
} from './running-services.ts';

describe('the size of a body', () => {
  const bodyLimit = 64 * 1024;
  const large = 'A'.repeat(bodyLimit);

  test('is limited for JSON, files and fields: 413, with a message', async () => {
    const services = await start({ bodyLimit });
    const url = `${api(services)}/submit/single-sequence/`;
    const fields = { token: 'x', predictor_type: 'dynamine' };
    const answers = [
      await submitSequence(services, { sequence: large }),
      await submitMolecule(services, { smiles: large }),
      await postForm(url, { ...fields, fasta_file: { file: `>one\n${large}` } }),
      await postForm(url, { ...fields, sequence: `${large}A` }),
      await postForm(url, { ...fields, sequence: large.slice(1000), job_name: large }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(413);
      expect(body).toEqual({ error: 'The body is too large: at most 64 KiB are taken.' });
    }
    expect(services.journal().filter(({ accepted }) => accepted)).toEqual([]);
  });

  test('a long field of a form arrives completely', async () => {
    const services = await start();
    const sequence = `>${'a long header '.repeat(100_000)}\r\nACDEFGHIKL`;
    const url = `${api(services)}/submit/single-sequence/`;
    const { body } = await postForm(url, { token: 'x', predictor_type: 'dynamine', sequence });
    const job = `${api(services)}/results/${body.request_id}/`;
    await until(job);
    const input = await get(`${job}download/?format=input`, { 'X-Service-Token': 'x' });
    expect(input.text === sequence, 'the input is what was sent').toBe(true);
  });
});

describe('the queue of a token', () => {
  test('contains maxQueued jobs: one more is answered with 503 and Retry-After, and not charged', async () => {
    const services = await start({ maxQueued: 2, concurrency: 1, jobMs: 60_000, limit: 4 });
    // The first one runs; two wait.
    for (let n = 0; n < 3; n += 1) expect((await submitSequence(services)).status).toBe(200);
    const refused = await submitSequence(services);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    // Nothing that a client could mistake for its budget.
    expect(Object.keys(refused.body)).toEqual(['error']);
    expect(refused.headers.get('x-ratelimit-remaining')).toBeNull();
    const other = await submitSequence(services, { token: 'another' });
    expect(other.status, 'the queue is per token').toBe(200);
    expect(services.journal().filter(({ accepted }) => accepted)).toHaveLength(4);
    expect((await submitMolecule(services)).status, 'and per service').toBe(200);
  });

  test('accepts more when jobs have started', async () => {
    const services = await start({ maxQueued: 1, concurrency: 1, jobMs: 300 });
    const first = await submitSequence(services);
    await submitSequence(services);
    expect((await submitSequence(services)).status).toBe(503);
    await until(`${api(services)}/results/${first.body.request_id}/`);
    expect((await submitSequence(services)).status).toBe(200);
  });
});

describe('a shutdown', () => {
  test('finishes answers in progress, refuses later requests on the connection, and keeps the jobs', async () => {
    const database = databaseFile();
    const services = await start({ database, jobMs: 60_000, concurrency: 1 });
    const { body: job } = await submitMolecule(services);
    services.faults.add({ name: 'slow', ms: 1500, endpoint: 'status' });
    const { port, hostname } = new URL(services.url);
    const socket = connect(Number(port), hostname);
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.write(request(`/acpype${job.Location}`));
    await sleep(300);
    const closed = services.close();
    await sleep(100);
    socket.write(request('/acpype/'));
    await Promise.all([once(socket, 'close'), closed]);
    const [first = '', second = ''] = said.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 202 .*"status":202/s);
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second).toMatch(/connection: close/i);
    expect(second).toContain('"error"');
    await expect(fetch(services.url)).rejects.toThrow();

    const after = await start({ database });
    const record = await until(`${after.moleculesUrl}${job.Location}`);
    expect(record.status).toBe(200);
  });

  test('does not wait for an answer that a fault delays', async () => {
    const services = await start({ faults: [{ name: 'hang' }] });
    const hanging = get(`${services.moleculesUrl}/api/x/`);
    const outcome = expect(hanging).rejects.toThrow();
    await sleep(200);
    await services.close();
    await outcome;
  });
});

describe('log lines', () => {
  test('contain no token, wherever it was sent, no id and no query', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk.toString());
        done();
      },
    });
    const services = await start({ log: pino({ level: 'trace' }, sink), limit: 4 });
    const token = 's3cr3t-t0k3n';
    const molecule = { ...MOLECULE, token: 's3cr3t-t0k' };
    const base = api(services);
    const { id } = await runSequence(services, { token });
    await submitShifts(services, { token, chemical_shifts: NEF });
    await postForm(`${base}/submit/msa/`, { token, msa_data: ALIGNMENT });
    await get(`${base}/results/${id}/download/?format=csv`, { 'X-Service-Token': token });
    await get(`${base}/past-results/msa/`, { 'X-Service-Token': token });
    await get(`${base}/past-results/shiftcrypt/alignment/?token=${token}`);
    await get(`${base}/past-results/shiftcrypt/alignment?token=${token}`);
    await get(`${services.url}/%FF?token=${token}`);
    await submitSequence(services, { token, predictor_type: null });
    await submitSequence(services, { token });
    await submitSequence(services, { token });
    await postJson(`${services.moleculesUrl}/api`, molecule);
    await postJson(`${services.moleculesUrl}/api`, { ...molecule, smiles: null });
    await postJson(`${services.moleculesUrl}/api`, `{"token": "${token}", `);
    const { port } = new URL(services.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(`GET / HTTP/1.1\r\nX-Service-Token: ${token}\x05\r\n\r\n`);
    await once(socket.resume(), 'close');
    await services.close();

    const log = lines.join('');
    const answered = lines.map((line) => JSON.parse(line) as { route?: string; status?: number });
    expect(answered.filter(({ status }) => status !== undefined).length).toBeGreaterThan(12);
    expect(answered.map(({ route }) => route)).toContain(
      '/online_predictors/api/past-results/shiftcrypt/alignment/',
    );
    expect(log).not.toContain('s3cr3t');
    expect(log).not.toContain(id);
    expect(log).not.toContain('?');
  });
});
