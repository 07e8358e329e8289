/** The prediction service with the real b2bTools behind it; skipped if that is not installed (`npm run engines`). */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import type { LocalServices } from '../../src/local-services/server.ts';
import type { LocalServicesOptions } from '../../src/local-services/options.ts';
import {
  api,
  databaseFile,
  get,
  residues,
  start,
  submitAlignment,
  submitSequence,
  submitShifts,
  TOKEN,
  type Answer,
} from './running-services.ts';

const there = installedEngine('b2btools') !== null;
const real = describe.skipIf(!there);
if (!there) console.warn('skipped: b2bTools is not installed here (npm run engines)');

const PROTEIN = 'MKRKIVQNCTNDEFEDVLFDPNLVVVQKEHTSKFTHLTSVYVYEKVGDKQPIYGVFREITEDGTTYWKEIY';
const NEF = readFileSync(
  join(import.meta.dirname, '../../batches/demo/files/bmr5387_ubiquitin.nef'),
  'utf8',
);
const AGREED = `>one\n${PROTEIN}\n>two\n--${PROTEIN.slice(2)}\n`;

const open = (options: LocalServicesOptions = {}): Promise<LocalServices> =>
  start({ engine: 'installed', ...options });

async function ended(services: LocalServices, accepted: Answer): Promise<Answer> {
  const url = `${api(services)}/results/${accepted.body.request_id}/`;
  await expect.poll(async () => (await get(url)).status, { timeout: 90_000 }).not.toBe(202);
  return get(url);
}

async function run(services: LocalServices, more: Record<string, unknown>): Promise<Answer> {
  return ended(services, await submitSequence(services, more));
}

async function download(services: LocalServices, id: string, format: string): Promise<Answer> {
  const url = `${api(services)}/results/${id}/download/?format=${format}`;
  return get(url, { 'X-Service-Token': TOKEN });
}

/** Folders of jobs that run in this process. */
const jobFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`hundredfold-job-${process.pid}-`));

/** Thousands of residues through all predictors: minutes, to be interrupted. */
const LONG = {
  sequence: `>long\n${PROTEIN.repeat(40)}\n`,
  predictor_type: 'dynamine,disomine,agmata,psper',
} as const;

real('a prediction', () => {
  test('contains the keys of its predictors, the engine’s metadata, and its tables as files', async () => {
    const services = await open();
    const accepted = await submitSequence(services, {
      sequence: `>one\n${PROTEIN}\n>one\n${PROTEIN.slice(10)}\n`,
      predictor_type: 'dynamine,psper',
    });
    const { status, body } = await ended(services, accepted);
    expect(status).toBe(200);
    expect(Object.keys(body.proteins)).toEqual(['one', 'one_2']);
    const keys = ['backbone', 'disoMine', 'viterbi', 'complexity'];
    for (const key of keys) expect(body.proteins['one']?.[key]).toHaveLength(PROTEIN.length);
    expect(body).toMatchObject({ metadata: { package: { name: 'b2bTools', version: '3.0.9' } } });
    const id = accepted.body.request_id;
    const csv = await download(services, id, 'csv');
    expect(csv.text.split('\n')[0]).toMatch(/^sequence_id,residue,residue_index,/);
    expect((await download(services, id, 'metadata')).text).toContain('backbone_mean');
    expect((await download(services, id, 'distributions')).status).toBe(404);
    const { history, messages } = (await get(`${api(services)}/results/${id}/history/`)).body;
    expect(history[0]).toMatchObject({ message: 'engine: real, b2bTools 3.0.9' });
    expect(messages.map(({ progress, message }) => `${progress} ${String(message)}`)).toEqual([
      '30 running predictions',
      '90 saving results',
    ]);
    expect(jobFolders()).toEqual([]);
  });

  test('of a plain sequence, with any line ends, contains its residues', async () => {
    const services = await open();
    const answer = await run(services, { sequence: `\uFEFF${PROTEIN}\r\n` });
    expect(residues(answer, 'sequence')).toBe(PROTEIN);
  });

  test('that the engine cannot process has the engine’s message, without paths', async () => {
    const services = await open();
    const more = { sequence: '>short\nMKVLAA\n', predictor_type: 'disomine' };
    const { status, body, text } = await run(services, more);
    expect(status).toBe(422);
    expect(body.error).toContain('DisoMine failed to build features');
    expect(text).not.toMatch(/hundredfold-job|Traceback|site-packages/);
  });

  test('for which the engine wrongly reports success fails in the service, with the reason', async () => {
    const services = await open();
    const six = { sequence: '>six\nMKVLAA\n', predictor_type: 'efoldmine' };
    expect((await run(services, six)).body.error).toBe('The result lacks earlyFolding of "six".');
    const nameless = await run(services, { sequence: `>\n${PROTEIN}\n` });
    expect(nameless.body.error).toBe('Record 1 has an empty header.');
    const unknown = await run(services, { predictor_type: 'dynamine,guess' });
    expect(unknown.body.error).toBe('Invalid predictor types: guess');
  });

  test('of an alignment contains gaps and distributions', async () => {
    const services = await open();
    const accepted = await submitAlignment(services, { msa_data: AGREED });
    const { status, body } = await ended(services, accepted);
    expect(status).toBe(200);
    expect(body.proteins['two']?.['agmata']?.slice(0, 3)).toEqual([null, null, expect.anything()]);
    expect(body.sequences['two']?.slice(0, 2)).toEqual(['-', '-']);
    const { text } = await download(services, accepted.body.request_id, 'distributions');
    expect(JSON.parse(text)).toMatchObject({
      results: { backbone: { median: expect.anything() } },
    });
  });

  test('of shifts is an array of chains, with model 1 by default', async () => {
    const services = await open();
    const of = async (more: object): Promise<string> =>
      (await ended(services, await submitShifts(services, { chemical_shifts: NEF, ...more }))).text;
    const [unsaid, one, three] = await Promise.all([
      of({}),
      of({ model_class: '1' }),
      of({ model_class: '3' }),
    ]);
    expect(JSON.parse(unsaid)).toMatchObject([{ chainCode: 'A', shiftCrypt: expect.anything() }]);
    expect(unsaid).toBe(one);
    expect(three).not.toBe(one);
    const neither = await ended(services, await submitShifts(services, { chemical_shifts: 'x' }));
    expect(neither).toMatchObject({ status: 422, body: { error: /neither NEF nor NMR-STAR/ } });
  });
});

real('an interrupted prediction', () => {
  test('at its time limit fails, leaves no folder, and does not block others', async () => {
    const services = await open({ timeLimitSeconds: 2 });
    const { status, body } = await run(services, LONG);
    expect(status).toBe(422);
    expect(body.error).toContain('stopped at its time limit');
    await expect.poll(jobFolders, { timeout: 20_000 }).toEqual([]);
    expect((await run(services, {})).status).toBe(200);
  });

  test('runs again, as a second attempt, when the service is restarted', async () => {
    const database = databaseFile();
    const first = await open({ database });
    const accepted = await submitSequence(first, LONG);
    await expect.poll(() => jobFolders().length, { timeout: 20_000 }).toBe(1);
    await first.close();
    expect(jobFolders()).toEqual([]);
    const second = await open({ database });
    const { status, body } = await get(`${api(second)}/results/${accepted.body.request_id}/`);
    expect(status).toBe(202);
    expect(body.attempt).toBe(2);
  });
});
