/** How long a command waits for the host of a folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import { tryLock } from '../../src/temporal/host/folder.ts';
import { openSession } from '../../src/temporal/host/session.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { startGateway } from '../temporal/grpc-gateway.ts';

const TIMEOUT_MS = 1_000;
const HOUR_MS = 3_600_000;

let dir = '';
beforeEach(async () => {
  dir = await temporaryFolder();
});
afterEach(() => void vi.restoreAllMocks());

const environment = (): NodeJS.ProcessEnv => ({
  HUNDREDFOLD_EMBEDDED_DIR: dir,
  SOME_TOKEN: 'some-token',
});

/** Another command holds the folder. */
function opening(settings: Settings, lookOnly = false) {
  const lock = tryLock(dir);
  const options = { settings, lookOnly, localServices: null, answerTimeoutMs: TIMEOUT_MS };
  const session = openSession({ ...options, environment: environment() });
  return session.finally(() => lock?.release());
}

test('a clock that is set forward does not shorten the wait for a host that is starting', async () => {
  const now = Date.now;
  let offset = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + offset);
  const since = performance.now();
  // It has not written its record yet.
  const session = opening(loadSettings(undefined, environment()), true);
  offset = HOUR_MS;
  await expect(session).rejects.toMatchObject({ code: 'HOST_NOT_READY' });
  expect(performance.now() - since).toBeGreaterThanOrEqual(TIMEOUT_MS);
});

test('a command that joins a host that is ending waits, and then reports HOST_NOT_READY', async () => {
  const signalled: string[] = [];
  await using ending = await startGateway(inject('temporal'), {
    refuse: (method) => {
      if (method !== 'SignalWorkflowExecution') return null;
      signalled.push(method);
      return { code: 14, details: 'the server ends' };
    },
  });
  const file = join(dir, 'hundredfold.yaml');
  const token = '{ env: SOME_TOKEN }';
  writeFileSync(file, `services: { predictions: { url: 'http://127.0.0.1:9', token: ${token} } }`);
  const settings = loadSettings(file, environment());
  const { pid } = process;
  const server = { pid, address: `127.0.0.1:${ending.port}`, ui: null, uiBehind: null };
  const services = [settings.services['predictions']?.reference];
  const rest = { plugins: [], taskQueue: 'any', lookOnly: false, lasting: false };
  const record = { pid, server, services, ...rest };
  writeFileSync(join(dir, 'host.json'), JSON.stringify(record));
  await expect(opening(settings)).rejects.toMatchObject({ code: 'HOST_NOT_READY' });
  expect(signalled).not.toEqual([]);
});
