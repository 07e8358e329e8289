/** Ports of this machine. */
import { connect, createServer } from 'node:net';

/** The first of the wished ports that is free, or any free one. */
export async function freePort(...wished: readonly number[]): Promise<number> {
  for (const port of [...wished, 0]) {
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
