/** The proteins of a payload: values along their residues, with the user's names. */
import { arePlain } from './json.ts';
import type { Payload, PayloadEntry, PayloadValue } from './payload.ts';
import type { ProteinReading, Track } from './reading.ts';

/** The known keys of the predictors, in the order of tables and plots; others follow in payload order. */
export const TRACK_KEYS = [
  ...(['backbone', 'sidechain', 'helix', 'sheet', 'coil', 'ppII'] as const),
  ...(['earlyFolding', 'disoMine', 'agmata'] as const),
  ...(['viterbi', 'complexity', 'arg', 'tyr', 'RRM', 'disorder'] as const),
] as const;

/** The values that the service predicts for alignments, as far as known. */
export const ALIGNMENT_KEYS = TRACK_KEYS.slice(0, TRACK_KEYS.indexOf('viterbi'));

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

function inOrder(keys: readonly string[]): readonly string[] {
  const known: readonly string[] = TRACK_KEYS;
  return [
    ...known.filter((key) => keys.includes(key)),
    ...keys.filter((key) => !known.includes(key)),
  ];
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
