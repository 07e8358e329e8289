/** Reads the result of a sequence job. Pure. */
import { readPayload } from './payload.ts';
import type { SequenceReading } from './reading.ts';
import { readProteins, type RecordHeaders } from './tracks.ts';

/** @returns null if the bytes contain no prediction */
export function readSequences(
  bytes: Uint8Array | string,
  headers?: RecordHeaders,
): SequenceReading | null {
  const payload = readPayload(bytes);
  return payload.ok ? { kind: 'sequence', proteins: readProteins(payload, headers) } : null;
}
