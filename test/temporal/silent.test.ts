/** A Temporal that accepts connections and never answers, as one that is frozen: commands report it within 15 s. */
import { createServer, type AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';

/** `status`, `doctor` and `cancel` take no longer; some of it (ms) is needed to start the command. */
const ANSWERED_WITHIN_MS = 15_000;
const NEEDED_TO_START_MS = 2_000;

test('the connection ends early enough for a command to report it', async () => {
  const server = createServer();
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const began = performance.now();
  await expect(connectClient({ address, namespace: 'default' })).rejects.toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: `cannot reach Temporal at ${address}: the port is open, but nothing answers`,
  });
  expect(performance.now() - began).toBeLessThan(ANSWERED_WITHIN_MS - NEEDED_TO_START_MS);
}, 60_000);
