/** What both services share: options, limits, orderly stops and kills, logs without secrets, refused requests. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  parseSettings,
  type LocalServicesOptions,
} from '../../packages/local-services/src/options.ts';
import {
  acceptedBy,
  ALIGNMENT,
  api,
  databaseFile,
  fileSet,
  get,
  MOLECULE,
  OWNER,
  postForm,
  postJson,
  runMolecule,
  runSequence,
  start,
  startForFile,
  startLogging,
  submitMolecule,
  submitSequence,
  submitShifts,
  until,
  type Answer,
} from './running-services.ts';

describe('an option', () => {
  test.each<[name: string, options: LocalServicesOptions]>([
    ['limit', { limit: -1 }],
    ['limit', { limit: 1.5 }],
    ['windowMs', { windowMs: 0 }],
    ['concurrency', { concurrency: Number.NaN }],
    ['engine', { engine: 'imaginary' as 'recorded' }],
    ['variant', { variant: 'later' as 'earlier' }],
    ['jobMs', { jobMs: -5 }],
  ])('%s that is wrong is refused: %o', (name, options) => {
    const message = expect.stringContaining(`option ${name} `);
    expect(() => parseSettings(options)).toThrow(
      expect.objectContaining({ code: 'LOCAL_SERVICES_FAILED', message }),
    );
  });

  test('that names a used port or an unusable database is refused, with a remedy', async () => {
    const database = databaseFile();
    const { url } = await start({ database });
    await expect(start({ port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_FAILED',
    });
    const unusable = {
      code: 'LOCAL_SERVICES_FAILED',
      remedy: expect.stringMatching(/another file/),
    };
    await expect(start({ database })).rejects.toMatchObject(unusable);
    const letter = databaseFile();
    writeFileSync(letter, 'a letter, long enough to be no empty database file'.repeat(20));
    await expect(start({ database: letter })).rejects.toMatchObject(unusable);
  });
});

const services = await startForFile();
const sequenceUrl = `${api(services)}/submit/single-sequence/`;

describe('a body', () => {
  test('above the limit is 413, as JSON, as a file and as a field', async () => {
    const large = 'A'.repeat(20 * 1024 * 1024);
    const own = await start();
    const form = (more: Parameters<typeof postForm>[1]): Promise<Answer> =>
      postForm(`${api(own)}/submit/single-sequence/`, {
        token: 'x',
        predictor_type: 'dynamine',
        ...more,
      });
    const answers = [
      await submitSequence(own, { sequence: large }),
      await submitMolecule(own, { smiles: large }),
      await form({ fasta_file: { file: `>one\n${large}` } }),
      await form({ sequence: `${large}A` }),
      await form({ sequence: large.slice(1000), job_name: large }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(413);
      expect(body).toEqual({ error: 'The body is too large: at most 20 MiB are taken.' });
    }
    expect(acceptedBy(own)).toEqual([]);
  });

  test.each<[status: number, body: string, type: string]>([
    [400, '{"token": ', 'application/json'],
    [400, '[]', 'application/json'],
    [415, 'token=x', 'text/plain'],
    [400, 'token=x', 'multipart/form-data'],
    [400, 'token=x', 'multipart/form-data; boundary='],
  ])('that cannot be read is %i with an error: %s as %s', async (status, body, type) => {
    const headers = { 'Content-Type': type };
    const answer = await fetch(sequenceUrl, { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/./) });
  });
});

/** Pages of the network can give their own name the address of this machine (DNS rebinding). */
describe('the name under which services are asked', () => {
  const ask = async (url: string, host: string): Promise<number | undefined> => {
    const sent = request(url, { headers: { host }, agent: false }).end();
    const [answer] = await once(sent, 'response');
    return answer.resume().statusCode;
  };

  test('that is of another site is refused on every page', async () => {
    const { port } = new URL(services.url);
    for (const page of [`${services.moleculesUrl}/`, `${api(services)}/`]) {
      for (const name of [`evil.example:${port}`, 'evil.example', '127.0.0.1.evil.example']) {
        expect(await ask(page, name), `${page} as ${name}`).toBe(403);
      }
      for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, '127.0.0.1']) {
        expect(await ask(page, name), `${page} as ${name}`).not.toBe(403);
      }
    }
  });

  test('may be any if they listen on all addresses', async () => {
    const { moleculesUrl } = await start({ host: '0.0.0.0' });
    const url = moleculesUrl.replace('0.0.0.0', '127.0.0.1');
    // No such path, and not 403.
    expect(await ask(`${url}/`, 'services.example')).toBe(404);
  });
});

describe('a shutdown', () => {
  test('finishes answers in progress, refuses later requests on the connection, and keeps the jobs', async () => {
    const database = databaseFile();
    const own = await start({ database, jobMs: 60_000, concurrency: 1 });
    const { body: job } = await submitMolecule(own);
    own.faults.add({ name: 'slow', ms: 1500, endpoint: 'status' });
    const { port, hostname } = new URL(own.url);
    const socket = connect(Number(port), hostname);
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const head = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.write(head(`/acpype${job.Location}`));
    await expect.poll(() => own.faults.fired().length).toBe(1);
    const closed = own.close();
    await sleep(100);
    socket.write(head('/acpype/'));
    await Promise.all([once(socket, 'close'), closed]);
    const [first = '', second = ''] = said.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 202 .*"status":202/s);
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second).toMatch(/connection: close/i);
    expect(second).toContain('"error"');
    await expect(fetch(own.url)).rejects.toThrow();

    const after = await start({ database });
    expect((await until(`${after.moleculesUrl}${job.Location}`)).status).toBe(200);
  });
});

test('log lines contain no token, wherever it was sent, no id and no query', async () => {
  const { services: own, log } = await startLogging({ limit: 4 });
  const token = 's3cr3t-t0k3n';
  const molecule = { ...MOLECULE, token: 's3cr3t-t0k' };
  const base = api(own);
  const { id, url } = await runSequence(own, { token });
  await submitShifts(own, { token });
  await postForm(`${base}/submit/msa/`, { token, msa_data: ALIGNMENT });
  await get(`${url}download/?format=csv`, { 'X-Service-Token': token });
  await get(`${base}/past-results/msa/`, { 'X-Service-Token': token });
  await get(`${base}/past-results/shiftcrypt/alignment/?token=${token}`);
  await get(`${base}/past-results/shiftcrypt/alignment?token=${token}`);
  await get(`${own.url}/%FF?token=${token}`);
  await submitSequence(own, { token, predictor_type: null });
  await submitSequence(own, { token });
  await submitSequence(own, { token });
  await postJson(`${own.moleculesUrl}/api`, molecule);
  await postJson(`${own.moleculesUrl}/api`, { ...molecule, smiles: null });
  await postJson(`${own.moleculesUrl}/api`, `{"token": "${token}", `);
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  socket.end(`GET / HTTP/1.1\r\nX-Service-Token: ${token}\x05\r\n\r\n`);
  await once(socket.resume(), 'close');
  await own.close();

  expect(log().match(/"status":\d+/g)?.length).toBeGreaterThan(12);
  expect(log()).toContain('"route":"/online_predictors/api/past-results/shiftcrypt/alignment/"');
  for (const secret of ['s3cr3t', id, '?']) expect(log()).not.toContain(secret);
});

describe('a restart on the same file', () => {
  test('keeps results, downloads, logs, journal, names and the rolling window', async () => {
    const database = databaseFile();
    const before = await start({ database, limit: 2 });
    const { id } = await runSequence(before, { job_name: 'kept' });
    const { id: molecule } = await runMolecule(before);
    const sequence = `/online_predictors/api/results/${id}/`;
    const paths = [sequence, `${sequence}history/`, `/acpype/api/${molecule}/`].concat(
      `${sequence}download/?format=csv`,
    );
    const readAll = (url: string): Promise<string[]> =>
      Promise.all(paths.map(async (path) => (await get(url + path, OWNER)).text));
    const seen = await readAll(before.url);
    await before.close();

    const after = await start({ database, limit: 2 });
    expect(await readAll(after.url)).toEqual(seen);
    expect(after.journal()).toEqual(before.journal());
    expect((await submitSequence(after, { job_name: 'kept' })).status).toBe(409);
    const { headers } = await submitSequence(after);
    expect(headers.get('X-RateLimit-Remaining'), 'of the rolling window').toBe('0');
  });

  test('after a kill loses no accepted job: each ends, once', async () => {
    const database = databaseFile();
    const server = fileURLToPath(
      new URL('../../packages/local-services/src/server.ts', import.meta.url),
    );
    const options = { database, engine: 'synthetic', jobMs: 300, limit: 0 };
    const program = `
      import { startLocalServices } from ${JSON.stringify(server)};
      const services = await startLocalServices(${JSON.stringify(options)});
      process.stdout.write(services.moleculesUrl);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
    const [url] = (await once(child.stdout, 'data')) as [Buffer];
    const acknowledged: string[] = [];
    // Handled from the start: the kill rejects them before they are awaited.
    const clients = Promise.allSettled(
      Array.from({ length: 4 }, async () => {
        for (;;) {
          const { status, body } = await postJson(`${String(url)}/api`, MOLECULE);
          if (status === 200) acknowledged.push(body.Location);
        }
      }),
    );
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await clients;

    const after = await start({ database, concurrency: 0 });
    for (const location of acknowledged) {
      expect(fileSet(await until(after.moleculesUrl + location))['GMX_top']).toBeDefined();
    }
    // A job whose acknowledgement was lost with the process may exist too, at most one per client.
    const unheard = acceptedBy(after).length - acknowledged.length;
    expect(unheard).toBeLessThanOrEqual(4);
    expect(unheard).toBeGreaterThanOrEqual(0);
  });
});

const run = promisify(execFile);
const CLIENTS = join(import.meta.dirname, '..', '..', 'examples', 'clients');
const curl = ['curl', 'python3'].every((program) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

test.skipIf(!curl)(
  `curl, as the contracts show it${curl ? '' : ' (skipped: no curl)'}`,
  async () => {
    const molecule = await run(join(CLIENTS, 'molecule.sh'), [
      services.moleculesUrl,
      'CCO',
      'GMX_top',
    ]);
    expect(molecule.stdout).toMatch(/\[ system \]|moleculetype|SYNTHETIC/i);
    const file = databaseFile().replace(/sqlite$/, 'fasta');
    writeFileSync(file, '>one\nMKVLAAGIV\n');
    const { stdout } = await run(join(CLIENTS, 'prediction.sh'), [services.url, 'secret', file]);
    expect(stdout).toMatch(/^sequence_id,residue,residue_index,backbone/);
    expect(stdout.trim().split('\n')).toHaveLength(10);
  },
);
