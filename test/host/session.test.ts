/** How long a command waits for the host of a folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { tryLock } from '../../src/host/lock.ts';
import { openSession } from '../../src/host/session.ts';

const PATIENCE_MS = 1_000;
const HOUR_MS = 3_600_000;

const dir = mkdtempSync(join(tmpdir(), 'hundredfold-session-'));
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
