/** A Temporal that accepts connections and never answers, as one that is frozen: commands report it within 15 s. */
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { desk } from '../cli/command.ts';

/** `status`, `doctor` and `cancel` take no longer; some of it (ms) is needed to start the command. */
const ANSWERED_WITHIN_MS = 15_000;
const NEEDED_TO_START_MS = 2_000;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a connection without an answer fails early enough for a command to report it', async () => {
  const address = await listen(createServer());
  const began = performance.now();
  await expect(connectClient({ address, namespace: 'default' })).rejects.toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: `cannot reach Temporal at ${address}: the port is open, but nothing answers`,
  });
  expect(performance.now() - began).toBeLessThan(ANSWERED_WITHIN_MS - NEEDED_TO_START_MS);
}, 60_000);

test('a command whose worker gets no answer ends with a code', async () => {
  const at = desk();
  const [host = '', port] = inject('temporal').split(':');
  let connections = 0;
  // The client of the command comes first, then its worker.
  const address = await listen(
    createServer((socket) => {
      connections += 1;
      if (connections > 1) return;
      const server = connect(Number(port), host);
      socket.pipe(server).pipe(socket);
      socket.on('error', () => server.destroy());
      server.on('error', () => socket.destroy());
    }),
  );
  at.write(
    'hundredfold.yaml',
    `temporal: { address: '${address}' }
services: { predictions: { url: 'http://127.0.0.1:9', token: { env: SOME_TOKEN } } }
`,
  );
  const { stderr } = await at.runs(1, ['cancel', 'nobody'], { env: { SOME_TOKEN: 'some-token' } });
  expect(stderr).toContain('[TEMPORAL_SILENT]');
  expect(connections).toBeGreaterThan(1);
}, 60_000);
