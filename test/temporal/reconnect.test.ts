/** A client whose server is away can be closed. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { startProxy } from '../crash/proxy.ts';

/** The code of gRPC. */
const CANCELLED = 1;

test('a call that waits for its next attempt when the client is closed ends as cancelled', async () => {
  const network = await startProxy(Number(inject('temporal').split(':')[1]));
  onTestFinished(() => network.close());
  const client = await connectClient({
    address: `127.0.0.1:${network.port}`,
    namespace: 'default',
  });
  network.set('reset');
  const before = network.connections();
  const asked = client.connection.workflowService.getSystemInfo({});
  const ended = asked.then(
    () => 'answered',
    (error: unknown) => error,
  );
  await expect.poll(() => network.connections()).toBeGreaterThan(before);
  await client.connection.close();
  // Without the interceptor, its next attempt throws in a timer, and the process ends.
  expect(await ended).toMatchObject({ code: CANCELLED });
}, 60_000);
