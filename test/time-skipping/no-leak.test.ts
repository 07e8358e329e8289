/** The test server is a separate program: if its parent is killed, it must not stay behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findTimeSkippingServer } from '../../scripts/time-skipping-server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { isAlive } from '../../src/temporal/processes.ts';

const server = findTimeSkippingServer();
const skipped = 'missing' in server ? ` (skipped: ${server.missing})` : '';

/** Starts the server and prints its process id. */
const STARTER = `
  const { spawn } = require('node:child_process');
  const [path, port] = process.argv.slice(1);
  console.log(spawn(path, [port], { stdio: 'ignore' }).pid);
`;

const GONE_WITHIN_MS = 20_000;

test.skipIf('missing' in server)(
  `the test server ends when the process that started it is killed${skipped}`,
  async () => {
    if ('missing' in server) return;
    const port = String(await freePort());
    const starter = spawn(process.execPath, ['-e', STARTER, server.path, port]);
    const [told] = (await once(starter.stdout, 'data')) as [Buffer];
    const pid = Number(told.toString());
    expect(isAlive(pid), 'the server runs').toBe(true);
    starter.kill('SIGKILL');
    const end = Date.now() + GONE_WITHIN_MS;
    while (isAlive(pid) && Date.now() < end) await delay(100);
    expect(isAlive(pid), `process ${pid} is still there`).toBe(false);
  },
  60_000,
);
