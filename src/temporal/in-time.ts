/** Temporal calls for a user who waits for the answer. The SDK repeats them as long as the server is unavailable. */
import { setTimeout as delay } from 'node:timers/promises';
import { codedError } from '../domain/errors.ts';

/** @throws HundredfoldError `TEMPORAL_SILENT` after `ms`: the call continues, and its outcome is ignored */
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
