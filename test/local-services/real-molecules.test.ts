/** The molecule service with the real ACPYPE behind it; skipped if that is not installed (`npm run engines`). */
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { nativeFiles } from '../../src/services/molecules/files.ts';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import type { LocalServices } from '../../src/local-services/server.ts';
import type { LocalServicesOptions } from '../../src/local-services/options.ts';
import {
  databaseFile,
  fileSet,
  get,
  start,
  submitMolecule,
  type Answer,
} from './running-services.ts';

const there = installedEngine('acpype') !== null;
const real = describe.skipIf(!there);
if (!there) console.warn('skipped: ACPYPE is not installed here (npm run engines)');

const GAS = { charge_method: 'gas' } as const;
/** Seconds of AM1: long enough to be interrupted. */
const LONG = { smiles: 'CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O', file_name: 'ibuprofen' } as const;

const open = (options: LocalServicesOptions = {}): Promise<LocalServices> =>
  start({ engine: 'installed', ...options });

async function ended(services: LocalServices, more: Record<string, unknown>): Promise<Answer> {
  const { body: ack } = await submitMolecule(services, more);
  return endOf(services, ack.hash_id);
}

async function endOf(services: LocalServices, id: string): Promise<Answer> {
  const url = `${services.moleculesUrl}/api/${id}/`;
  await expect.poll(async () => (await get(url)).status, { timeout: 90_000 }).toBe(200);
  return get(url);
}

/** Folders of jobs that run in this process. */
const jobFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`hundredfold-job-${process.pid}-`));

async function untilRunning(): Promise<void> {
  await expect.poll(() => jobFolders().length, { timeout: 20_000 }).toBe(1);
}

real('a molecule', () => {
  test('becomes the 19 files, named after its title', async () => {
    const answer = await ended(await open(), { ...GAS, file_name: 'Ethyl alcohol' });
    const native = nativeFiles(answer.body, { chargeMethod: 'gas', atomType: 'gaff2' });
    expect(native).toMatchObject({ ok: true, name: 'Ethyl_alcohol' });
    expect(Object.keys(fileSet(answer))).toHaveLength(19);
    expect(answer.body.result_request.status).toBe(200);
    expect(answer.body.log).toMatch(/^engine: real, ACPYPE 2023\.10\.27, Open Babel \d/);
    expect(answer.body.log).toContain('* Antechamber OK *');
    expect(jobFolders()).toEqual([]);
  });

  test('that the engine cannot process ends with the engine’s message and no files', async () => {
    const { body, text } = await ended(await open(), { smiles: 'C1CC(' });
    expect(body.results).toEqual([{}]);
    expect(body.result_request).toMatchObject({
      status: 422,
      request_text: expect.stringContaining('ACPYPE FAILED: '),
    });
    expect(text).not.toMatch(/hundredfold-job|Traceback|site-packages/);
  });

  test('for which the engine wrongly reports success fails in the service, with the reason', async () => {
    const services = await open();
    const parts = await ended(services, { ...GAS, smiles: 'C.C' });
    expect(parts.body.result_request.request_text).toContain('2 molecules');
    const charge = await ended(services, { ...GAS, net_charge: '1' });
    expect(charge.body.result_request.request_text).toContain('net charge of 1');
    expect(charge.body.results).toEqual([{}]);
    expect(charge.body.log).toContain('SERVICE: ');
  });

  test('cannot be the path of a file on this machine', async () => {
    const { body } = await ended(await open(), { smiles: '/etc/passwd' });
    expect(body.result_request.request_text).toContain('path of a file');
    const own = `${databaseFile()}.mol2`;
    writeFileSync(own, 'not to be read');
    const other = await ended(await open(), { smiles: own });
    expect(other.text).not.toContain('not to be read');
    expect(other.body.result_request.request_text).toContain('path of a file');
  });
});

real('an interrupted job', () => {
  test('at its time limit fails, and leaves no process and no folder', async () => {
    const { body } = await ended(await open({ timeLimitSeconds: 1 }), LONG);
    expect(body.result_request.request_text).toContain('stopped at its time limit');
    await expect.poll(jobFolders, { timeout: 20_000 }).toEqual([]);
  });

  test('runs again, as a second attempt, when the service is restarted', async () => {
    const database = databaseFile();
    const first = await open({ database });
    const { body: ack } = await submitMolecule(first, LONG);
    await untilRunning();
    await first.close();
    expect(jobFolders()).toEqual([]);
    const second = await open({ database });
    expect((await endOf(second, ack.hash_id)).body.result_request.status).toBe(200);
    await second.close();
    const jobs = new DatabaseSync(database);
    expect(jobs.prepare('SELECT state, attempt FROM jobs').all()).toEqual([
      { state: 'FINISHED', attempt: 2 },
    ]);
    jobs.close();
  });
});

test('abcg2, which the contract does not list, is refused', async () => {
  const { status } = await submitMolecule(await open(), { charge_method: 'abcg2' });
  expect(status).toBe(400);
});
