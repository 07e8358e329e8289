/** Ports of this machine. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, isListening } from '../../src/temporal/ports.ts';

test('a server is found although this process is busy for longer than the time-out', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = isListening((server.address() as AddressInfo).port);
  // As when a command loads its modules.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  expect(await answer).toBe(true);
  server.close();
});

test('a port without a server is reported at once', async () => {
  expect(await isListening(await freePort())).toBe(false);
});
