import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ENGINE_VERSIONS,
  installedEngine,
  RECORD_FILE,
} from '../../src/local-services/engines/real/installed.ts';
import {
  api,
  get,
  start,
  submitMolecule,
  submitSequence,
  until,
  type Answer,
} from './running-services.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engines-'));
  vi.stubEnv('HUNDREDFOLD_ENGINES', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function record(more: object = {}): void {
  const place = join(folder, 'acpype');
  mkdirSync(place);
  const installed = { engine: 'acpype', version: ENGINE_VERSIONS.acpype, folder: place };
  writeFileSync(join(place, RECORD_FILE), JSON.stringify({ ...installed, packages: {}, ...more }));
}

describe('an engine is installed', () => {
  test('if its record exists', () => {
    record();
    expect(installedEngine('acpype')).toMatchObject({ version: '2023.10.27' });
    expect(installedEngine('b2btools')).toBeNull();
  });

  test('but not if it is incomplete', () => {
    mkdirSync(join(folder, 'acpype'));
    expect(installedEngine('acpype')).toBeNull();
    writeFileSync(join(folder, 'acpype', RECORD_FILE), '{"engine":"acp');
    expect(installedEngine('acpype')).toBeNull();
  });

  test('but not if its folder was moved, which Python environments do not support', () => {
    record();
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    mkdirSync(folder);
    expect(installedEngine('acpype', moved)).toBeNull();
    rmSync(moved, { recursive: true });
  });
});

test('a missing real engine is reported at the start', async () => {
  await expect(start({ engine: 'real' })).rejects.toMatchObject({
    code: 'LOCAL_SERVICES_ENGINE',
    remedy: expect.stringContaining('npm run engines -- --only acpype'),
  });
});

async function moleculeLog(engine: 'installed' | 'synthetic'): Promise<string> {
  const services = await start({ engine });
  const { body: ack } = await submitMolecule(services);
  return (await until(services.moleculesUrl + ack.Location)).body.log;
}

async function history(engine: 'installed' | 'synthetic'): Promise<Answer> {
  const services = await start({ engine });
  const { body: ack } = await submitSequence(services);
  const results = `${api(services)}/results/${ack.request_id}/`;
  await until(results);
  return get(`${results}history/`);
}

describe('the engine of a job', () => {
  test('is named in the log of a molecule; if none is installed, it is the recorded engine', async () => {
    expect(await moleculeLog('installed')).toMatch(/^engine: recorded, acpype 2023\.10\.27\n/);
    expect(await moleculeLog('synthetic')).toMatch(/^engine: synthetic, 1\n/);
  });

  test('is named in the processing log of a prediction, when it begins to run', async () => {
    const recorded = (await history('installed')).body.history;
    expect(recorded[0]).toMatchObject({
      state: 'RUNNING',
      message: 'engine: recorded, b2bTools 3.0.9',
    });
    const synthetic = (await history('synthetic')).body.history;
    expect(synthetic[0]).toMatchObject({ message: 'engine: synthetic, 1' });
  });
});
