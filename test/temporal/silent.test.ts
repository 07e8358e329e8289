/** A Temporal that accepts connections and never answers, as one that is frozen: commands report it with a code. */
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { desk } from '../cli/command.ts';

async function listen(server: Server): Promise<string> {
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a command whose client, or whose worker, gets no answer ends with a code', async () => {
  const at = desk();
  const [host = '', port] = inject('temporal').split(':');
  let connections = 0;
  const relay = createServer((socket) => {
    connections += 1;
    if (connections > 1) return;
    const server = connect(Number(port), host);
    socket.pipe(server).pipe(socket);
    socket.on('error', () => server.destroy());
    server.on('error', () => socket.destroy());
  });
  for (const [address, code] of [
    [await listen(createServer()), 'TEMPORAL_UNREACHABLE'],
    // The client of the command comes first, then its worker.
    [await listen(relay), 'TEMPORAL_SILENT'],
  ] as const) {
    at.write(
      'hundredfold.yaml',
      `temporal: { address: '${address}' }
services: { predictions: { url: 'http://127.0.0.1:9', token: { env: SOME_TOKEN } } }`,
    );
    const env = { SOME_TOKEN: 'some-token' };
    const { stderr } = await at.runs(1, ['cancel', 'nobody'], { env });
    expect(stderr).toContain(`[${code}]`);
  }
  expect(connections).toBeGreaterThan(1);
});
