/** How long a command waits for the host of a folder. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tryLock } from '../../src/host/lock.ts';
import { openSession } from '../../src/host/open-session.ts';
import { startGateway } from '../temporal/grpc-gateway.ts';

const PATIENCE_MS = 1_000;
const HOUR_MS = 3_600_000;

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hundredfold-session-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

test('a clock that is set forward does not shorten the wait for a host that is starting', async () => {
  // Another command holds the folder and has not written its record yet.
  const lock = tryLock(dir);
  const now = Date.now;
  let offset = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + offset);
  const environment = { HUNDREDFOLD_EMBEDDED_DIR: dir };
  const settings = loadSettings(undefined, environment);
  const since = performance.now();
  const session = openSession({
    settings,
    environment,
    localServices: false,
    lookOnly: true,
    patienceMs: PATIENCE_MS,
  });
  offset = HOUR_MS;
  await expect(session).rejects.toMatchObject({ code: 'HOST_NOT_READY' });
  expect(performance.now() - since).toBeGreaterThanOrEqual(PATIENCE_MS);
  lock?.release();
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
  const lock = tryLock(dir);
  const environment = { HUNDREDFOLD_EMBEDDED_DIR: dir, SOME_TOKEN: 'some-token' };
  const file = join(dir, 'hundredfold.yaml');
  writeFileSync(
    file,
    "services: { predictions: { url: 'http://127.0.0.1:9', token: { env: SOME_TOKEN } } }",
  );
  const settings = loadSettings(file, environment);
  const server = {
    pid: process.pid,
    address: `127.0.0.1:${ending.port}`,
    ui: null,
    uiBehind: null,
  };
  const services = [settings.services.predictions?.reference];
  const record = {
    pid: process.pid,
    taskQueue: 'any',
    server,
    services,
    lookOnly: false,
    lasting: false,
  };
  writeFileSync(join(dir, 'host.json'), JSON.stringify(record));
  const joining = openSession({
    settings,
    environment,
    localServices: false,
    patienceMs: PATIENCE_MS,
  });
  await expect(joining).rejects.toMatchObject({ code: 'HOST_NOT_READY' });
  expect(signalled).not.toEqual([]);
  lock?.release();
});
