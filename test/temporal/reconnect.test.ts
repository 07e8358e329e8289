/** A client whose server is away can be closed. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';

/** The code of gRPC. */
const CANCELLED = 1;

/** Relays connections to the suite's server, or closes them at once. */
async function relay() {
  const [host = '', port = ''] = inject('temporal').split(':');
  const open = new Set<Socket>();
  const attempts: number[] = [];
  let away = false;
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined));
    if (away) {
      attempts.push(performance.now());
      socket.destroy();
      return;
    }
    const behind = connect(Number(port), host);
    open.add(behind.on('error', () => socket.destroy()));
    socket.pipe(behind).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as { port: number }).port}`,
    attempts,
    setAway(isAway: boolean): void {
      away = isAway;
      if (isAway) for (const socket of open) socket.destroy();
    },
  };
}

test('a call that waits for its next attempt when the client is closed ends as cancelled', async () => {
  const between = await relay();
  const client = await connectClient({ address: between.address, namespace: 'default' });
  between.setAway(true);
  const asked = client.connection.workflowService.getSystemInfo({});
  const ended = asked.then(
    () => 'answered',
    (error: unknown) => error,
  );
  await expect.poll(() => between.attempts.length).toBeGreaterThan(0);
  await client.connection.close();
  // Without the interceptor, its next attempt throws in a timer, and the process ends.
  expect(await ended).toMatchObject({ code: CANCELLED });
}, 60_000);
