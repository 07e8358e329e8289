/** Reads the result of an alignment job. Pure. */
import { readDistributions } from './distributions.ts';
import { readPayload } from './payload.ts';
import type { AlignmentReading } from './reading.ts';
import { readProteins, type RecordHeaders } from './tracks.ts';

/**
 * @param distributions the file of that name, JSON or CSV; null if the service gave none
 * @returns null if the bytes contain no prediction
 */
export function readAlignment(
  bytes: Uint8Array | string,
  distributions: Uint8Array | string | null,
  headers?: RecordHeaders,
): AlignmentReading | null {
  const payload = readPayload(bytes);
  if (!payload.ok) return null;
  const proteins = readProteins(payload, headers);
  const columns = Math.max(...proteins.map(lengthOf));
  const spreads = distributions === null ? {} : readDistributions(distributions, columns);
  return { kind: 'alignment', proteins, columns, spreads };
}

function lengthOf({ residues, tracks }: AlignmentReading['proteins'][number]): number {
  return residues.length || (Object.values(tracks)[0]?.length ?? 0);
}
