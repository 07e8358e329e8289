/** Calls of Temporal for a user who waits for the answer. The SDK repeats them for as long as the server is away. */
import { setTimeout as delay } from 'node:timers/promises';
import { codedError } from '../domain/errors.ts';

/** @throws HundredfoldError `TEMPORAL_SILENT` after `ms`: the call goes on, and nobody looks at its outcome */
export async function inTime<T>(call: Promise<T>, ms: number): Promise<T> {
  const heard = new AbortController();
  const late = delay(ms, undefined, { signal: heard.signal }).then(() => {
    throw codedError('TEMPORAL_SILENT', { seconds: ms / 1_000 });
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([call, late]);
  } finally {
    heard.abort();
  }
}
