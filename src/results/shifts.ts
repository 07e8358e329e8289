/** Reads the result of a shift file. Pure. */
import { readPayload, type PayloadEntry } from './payload.ts';
import type { ChainReading, ShiftsReading } from './reading.ts';

/** @returns null if the bytes contain no prediction */
export function readShifts(bytes: Uint8Array | string): ShiftsReading | null {
  const payload = readPayload(bytes);
  return payload.ok ? { kind: 'shifts', chains: payload.entries.map(readChain) } : null;
}

function readChain({ id, sequence, values, scalars }: PayloadEntry): ChainReading {
  const indices = values['shiftCrypt'] ?? [];
  const numbers = values['seqCodes'] ?? [];
  const chain = scalars['chainCode'];
  return {
    name: id,
    chain: chain === undefined ? null : String(chain),
    residues: sequence,
    // Without its own codes, the chain is numbered from 1, like residues.
    numbers: indices.map((_, index) => numbers[index] ?? index + 1),
    shiftCrypt: indices.map((value) => (typeof value === 'number' ? value : null)),
  };
}
