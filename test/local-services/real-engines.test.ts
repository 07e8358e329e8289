/** Both services with the real programs behind them; skipped if these are not installed (`npm run engines`). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { findInstalledEngine } from '../../packages/local-services/src/engines/install.ts';
import type { LocalServicesOptions } from '../../packages/local-services/src/options.ts';
import type { LocalServices } from '../../packages/local-services/src/server.ts';
import { readNativeFiles } from '../../src/kinds/molecule/files.ts';
import {
  databaseFile,
  fileSet,
  get,
  OWNER,
  resultsUrl,
  start,
  submitAlignment,
  submitMolecule,
  submitSequence,
  submitShifts,
  type Answer,
  type Body,
} from './running-services.ts';

function installed(engine: 'acpype' | 'b2btools'): boolean {
  const there = findInstalledEngine(engine) !== null;
  if (!there) console.warn(`skipped: ${engine} is not installed here (npm run engines)`);
  return there;
}

const open = (options: LocalServicesOptions = {}): Promise<LocalServices> =>
  start({ engine: 'installed', ...options });

/** The address of an accepted job of either service. */
function urlOf(services: LocalServices, ack: Answer): string {
  const { hash_id } = ack.body;
  return hash_id ? `${services.moleculesUrl}/api/${hash_id}/` : resultsUrl(services, ack);
}

async function ended(services: LocalServices, sent: Promise<Answer>): Promise<Answer> {
  const url = urlOf(services, await sent);
  await expect.poll(async () => (await get(url)).status, { timeout: 90_000 }).not.toBe(202);
  return get(url);
}

/** Folders of jobs that run in this process. */
const jobFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`hundredfold-job-${process.pid}-`));

/** A failed molecule and a failed prediction in the same words. */
function failure({ body, text }: { readonly body: Partial<Body>; readonly text: string }): string {
  expect(text).not.toMatch(/hundredfold-job|Traceback|site-packages/);
  if (body.result_request === undefined) return `422 ${String(body.error)}`;
  expect(body.results).toEqual([{}]);
  return `${body.result_request.status} ${body.result_request.request_text}`;
}

/** What holds for a long job of either engine. */
function interruptions(submit: (services: LocalServices) => Promise<Answer>): void {
  test('an interrupted job fails at its time limit, and leaves no process and no folder', async () => {
    const services = await open({ timeLimitSeconds: 2 });
    expect(failure(await ended(services, submit(services)))).toContain('stopped at its time limit');
    await expect.poll(jobFolders, { timeout: 20_000 }).toEqual([]);
  });

  test('an interrupted job runs again when the service is restarted', async () => {
    const database = databaseFile();
    const first = await open({ database });
    const ack = await submit(first);
    await expect.poll(() => jobFolders().length, { timeout: 20_000 }).toBe(1);
    await first.close();
    expect(jobFolders()).toEqual([]);
    const second = await open({ database });
    expect((await get(urlOf(second, ack))).status).toBe(202);
    await expect.poll(() => jobFolders().length, { timeout: 20_000 }).toBe(1);
  });
}

describe.skipIf(!installed('acpype'))('ACPYPE', () => {
  const GAS = { charge_method: 'gas' } as const;
  const run = async (more: Record<string, unknown>): Promise<Answer> => {
    const services = await open();
    return ended(services, submitMolecule(services, more));
  };

  test('a molecule becomes the 19 files, named after its title', async () => {
    const answer = await run({ ...GAS, file_name: 'Ethyl alcohol' });
    const native = readNativeFiles(answer.body, { chargeMethod: 'gas', atomType: 'gaff2' });
    expect(native).toMatchObject({ ok: true, name: 'Ethyl_alcohol' });
    expect(Object.keys(fileSet(answer))).toHaveLength(19);
    expect(answer.body.result_request.status).toBe(200);
    expect(answer.body.log).toMatch(/^engine: real, ACPYPE 2023\.10\.27, Open Babel \d/);
    expect(answer.body.log).toContain('* Antechamber OK *');
    expect(jobFolders()).toEqual([]);
  });

  test('a failure has the engine’s message', async () => {
    expect(failure(await run({ smiles: 'C1CC(' }))).toMatch(/^422 .*ACPYPE FAILED: /);
  });

  test('a SMILES cannot be the path of a file on this machine', async () => {
    const own = `${databaseFile()}.mol2`;
    writeFileSync(own, 'not to be read');
    for (const smiles of ['/etc/passwd', own]) {
      const answer = await run({ smiles });
      expect(failure(answer)).toContain('path of a file');
      expect(answer.text).not.toContain('not to be read');
    }
  });

  // Seconds of AM1: long enough to be interrupted.
  const ibuprofen = { smiles: 'CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O', file_name: 'ibuprofen' };
  interruptions((services) => submitMolecule(services, ibuprofen));
});

const PROTEIN = 'MKRKIVQNCTNDEFEDVLFDPNLVVVQKEHTSKFTHLTSVYVYEKVGDKQPIYGVFREITEDGTTYWKEIY';

describe.skipIf(!installed('b2btools'))('b2bTools', () => {
  test('a prediction has the keys of its predictors, the engine’s metadata, and its tables', async () => {
    const services = await open();
    const sent = submitSequence(services, {
      sequence: `>one\n${PROTEIN}\n>one\n${PROTEIN.slice(10)}\n`,
      predictor_type: 'dynamine,psper',
    });
    const { status, body } = await ended(services, sent);
    expect(status).toBe(200);
    expect(Object.keys(body.proteins)).toEqual(['one', 'one_2']);
    const keys = ['backbone', 'disoMine', 'viterbi', 'complexity'];
    for (const key of keys) expect(body.proteins['one']?.[key]).toHaveLength(PROTEIN.length);
    expect(body).toMatchObject({ metadata: { package: { name: 'b2bTools', version: '3.0.9' } } });
    const url = urlOf(services, await sent);
    const download = (format: string) => get(`${url}download/?format=${format}`, OWNER);
    expect((await download('csv')).text).toMatch(/^sequence_id,residue,residue_index,/);
    expect((await download('metadata')).text).toContain('backbone_mean');
    expect((await download('distributions')).status).toBe(404);
    const { history, messages } = (await get(`${url}history/`)).body;
    expect(history[0]).toMatchObject({ message: 'engine: real, b2bTools 3.0.9' });
    expect(messages).toMatchObject([
      { progress: 30, message: 'running predictions' },
      { progress: 90, message: 'saving results' },
    ]);
    expect(jobFolders()).toEqual([]);
  });

  test('a failure has the engine’s message', async () => {
    const services = await open();
    const six = { sequence: '>six\nMKVLAA\n', predictor_type: 'disomine' };
    const failed = failure(await ended(services, submitSequence(services, six)));
    expect(failed).toMatch(/DisoMine failed to build features/);
  });

  test('an alignment has gaps and distributions', async () => {
    const services = await open();
    const msa_data = `>one\n${PROTEIN}\n>two\n--${PROTEIN.slice(2)}\n`;
    const sent = submitAlignment(services, { msa_data });
    const { body } = await ended(services, sent);
    expect(body.proteins['two']?.['agmata']?.slice(0, 3)).toEqual([null, null, expect.anything()]);
    expect(body.sequences['two']?.slice(0, 2)).toEqual(['-', '-']);
    const url = urlOf(services, await sent);
    const distributions = await get(`${url}download/?format=distributions`, OWNER);
    const median = expect.anything();
    expect(distributions.body).toMatchObject({ results: { backbone: { median } } });
  });

  test('shifts become an array of chains, with model 1 by default', async () => {
    const services = await open();
    const nef = new URL('../../batches/demo/files/bmr5387_ubiquitin.nef', import.meta.url);
    const chemical_shifts = readFileSync(nef, 'utf8');
    const predict = async (more: object): Promise<string> =>
      (await ended(services, submitShifts(services, { chemical_shifts, ...more }))).text;
    const unsaid = await predict({});
    expect(JSON.parse(unsaid)).toMatchObject([{ chainCode: 'A', shiftCrypt: expect.anything() }]);
    expect(await predict({ model_class: '1' })).toBe(unsaid);
    expect(await predict({ model_class: '3' })).not.toBe(unsaid);
    const neither = await ended(services, submitShifts(services, { chemical_shifts: 'x' }));
    expect(failure(neither)).toContain('neither NEF nor NMR-STAR');
  });

  // Thousands of residues through all predictors: minutes.
  const long = {
    sequence: `>long\n${PROTEIN.repeat(40)}\n`,
    predictor_type: 'dynamine,disomine,agmata,psper',
  };
  interruptions((services) => submitSequence(services, long));
});
