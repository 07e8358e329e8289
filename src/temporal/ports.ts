/** Ports of this machine. */
import { connect, createServer } from 'node:net';

/**
 * Below the ports that the system gives to connections: a client that knocks at a port of those, while its server is
 * away, may be given that very port, hold it, and so keep the server from coming back.
 */
const LASTING = { from: 12_000, to: 30_000 };
const TRIES = 20;

function anyLasting(): number {
  return LASTING.from + Math.floor(Math.random() * (LASTING.to - LASTING.from));
}

/** The first of the wished ports that is free, or any free one. */
export async function freePort(...wished: readonly number[]): Promise<number> {
  const lasting = Array.from({ length: TRIES }, anyLasting);
  for (const port of [...wished.filter((one) => one > 0), ...lasting, 0]) {
    const got = await tryListen(port);
    if (got !== null) return got;
  }
  throw new Error('this machine has no free port');
}

function tryListen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}

/** True when something accepts connections there. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
