/** Ports of this machine. */
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * Below the ephemeral ports: a client that retries such a port while its server is down may be assigned that very port
 * as its own, which prevents the server from coming back.
 */
const LASTING = { from: 12_000, to: 30_000 };
const TRIES = 20;

function choosePort(): number {
  return LASTING.from + randomInt(LASTING.to - LASTING.from);
}

/** The first preferred port that is free, or any free one. */
export async function freePort(...wished: readonly number[]): Promise<number> {
  const lasting = Array.from({ length: TRIES }, choosePort);
  for (const port of [...wished.filter((one) => one > 0), ...lasting, 0]) {
    const got = await tryListen(port);
    if (got !== null) return got;
  }
  throw new Error('this machine has no free port');
}

/** An address here that a web page cannot guess: Linux has 16 million loopback addresses, others have one. */
export async function findHiddenPlace(): Promise<{ readonly ip: string; readonly port: number }> {
  const byte = () => randomInt(1, 255);
  const ip = `127.${byte()}.${byte()}.${byte()}`;
  for (const port of Array.from({ length: TRIES }, choosePort)) {
    if ((await tryListen(port, ip)) !== null) return { ip, port };
  }
  return { ip: LOOPBACK, port: await freePort() };
}

function tryListen(port: number, host = LOOPBACK): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}

/** True when something accepts connections there. */
export function isListening(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    // Timers come before connections: if this process was busy for that long, the connection may have been accepted.
    socket.once('timeout', () => setImmediate(end, false));
  });
}
