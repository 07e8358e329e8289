/** The command that runs the server may end just when another one is interrupted: that one was still stopped as asked. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, inject, test, vi } from 'vitest';
import { concludeRun } from '../../src/cli/session/conclusion.ts';
import { EXIT } from '../../src/domain/errors.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { CampaignObservation } from '../../src/campaigns/observe.ts';
import type { Session } from '../../src/host/session.ts';
import { connectClient } from '../../src/temporal/connection.ts';

/** A connection to the Temporal of the tests that can be cut. */
async function cuttable() {
  const [host = '', port] = inject('temporal').split(':');
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const server = connect(Number(port), host);
    for (const end of [socket, server]) {
      sockets.add(end);
      end.on('error', () => socket.destroy());
    }
    socket.pipe(server).pipe(socket);
  });
  await new Promise<void>((listening) => void proxy.listen(0, '127.0.0.1', listening));
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const cut = (): void => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  return { address, cut };
}

test('with --json, an interrupted command exits as interrupted and says why it prints no state', async () => {
  const { address, cut } = await cuttable();
  const client = await connectClient({ address, namespace: 'default' });
  cut();
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const session = { client, role: 'joined' } as unknown as Session;
  const to = { end: 'interrupted', last: {} as CampaignObservation } as const;
  const code = await concludeRun(session, { name: 'b', folder: '/nowhere' }, to, {
    flags: { json: true },
    settings: { embeddedDir: '/nowhere' } as Settings,
  });
  const said = stderr.mock.calls.map(([text]) => text.toString()).join('');
  stderr.mockRestore();
  await client.connection.close();
  expect(code).toBe(EXIT.interrupted);
  expect(said).toContain('Temporal does not answer: the state of b is not printed.');
  expect(said).toContain('b is safe on disk');
});
