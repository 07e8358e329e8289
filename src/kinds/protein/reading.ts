/** What a result of a prediction says, with the user's names. Pure. */
import { arePlain } from '../json.ts';
import type {
  AlignmentReading,
  ChainReading,
  ProteinReading,
  SequenceReading,
  ShiftsReading,
  Track,
} from '../reading.ts';
import { type Payload, type PayloadEntry, type PayloadValue, readPayload } from './payload.ts';
import { inOrder, TRACK_KEYS } from './reading-aids.ts';
import { readDistributions } from './tables.ts';

/** Text in these is not a value; for unknown keys it may be. */
const NUMERIC: ReadonlySet<string> = new Set(TRACK_KEYS.filter((key) => key !== 'viterbi'));

/** Header as the user wrote it, by the id in the results; an id that is not listed is the header. */
export type RecordHeaders = Readonly<Record<string, string>>;

/** In payload order. */
export function readProteins(
  payload: Payload,
  headers: RecordHeaders = {},
): readonly ProteinReading[] {
  return payload.entries.map((entry) => readProtein(entry, headers));
}

function readProtein(entry: PayloadEntry, headers: RecordHeaders): ProteinReading {
  const { id, sequence, values } = entry;
  const length =
    sequence.length || Math.max(0, ...Object.values(values).map((list) => list.length));
  const tracks = inOrder(Object.keys(values)).map((key): [string, Track] => [
    key,
    NUMERIC.has(key) ? numbers(values[key], length) : labels(values[key], length),
  ]);
  return {
    name: (Object.hasOwn(headers, id) ? headers[id] : undefined) ?? id,
    residues: sequence,
    tracks: Object.fromEntries(tracks),
    scores: Object.fromEntries(
      Object.entries(entry.scalars).filter(
        (pair): pair is [string, number] =>
          // The engine's run time is not a property of the protein.
          typeof pair[1] === 'number' && !pair[0].endsWith('_execution_time'),
      ),
    ),
  };
}

/** Padded or cut to the length of the chain. */
function numbers(values: readonly PayloadValue[] = [], length: number): Track {
  if (values.length === length && arePlain(values)) return values;
  const track = new Array<number | null>(length);
  for (let index = 0; index < length; index += 1) {
    const value = values[index];
    track[index] = typeof value === 'number' ? value : null;
  }
  return track;
}

/** The labels of `viterbi` have a leading space. */
function labels(values: readonly PayloadValue[] = [], length: number): Track {
  return Array.from({ length }, (_, index) => {
    const value = values[index] ?? null;
    return typeof value === 'string' ? value.trim() || null : value;
  });
}

/** @returns null if the bytes contain no prediction */
export function readSequences(
  bytes: Uint8Array | string,
  headers?: RecordHeaders,
): SequenceReading | null {
  const payload = readPayload(bytes);
  return payload.ok ? { kind: 'sequence', proteins: readProteins(payload, headers) } : null;
}

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
