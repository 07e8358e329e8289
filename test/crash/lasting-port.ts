import { randomInt } from 'node:crypto';
import { freePort } from '../../src/temporal/ports.ts';

/**
 * A port that a server can come back to after a while. Not one of those that the system gives out for connections
 * (from 32768 on Linux): while nobody listens there, a client that keeps knocking may be given that very port as its
 * own, connect to itself, and hold it.
 */
export async function lastingPort(): Promise<number> {
  const port = await freePort(...Array.from({ length: 20 }, () => randomInt(12_000, 30_000)));
  if (port < 32_768) return port;
  throw new Error('no port below those for connections is free');
}
