/** The proteins of a payload: values along their residues, under the names that the user gave. */
import { arePlain } from './json.ts';
import type { Payload, PayloadEntry, PayloadValue } from './payload.ts';
import type { ProteinReading, Track } from './reading.ts';

/** The keys that the predictors are known to give, in the order of tables and plots; others follow as they come. */
export const TRACK_KEYS = [
  ...(['backbone', 'sidechain', 'helix', 'sheet', 'coil', 'ppII'] as const),
  ...(['earlyFolding', 'disoMine', 'agmata'] as const),
  ...(['viterbi', 'complexity', 'arg', 'tyr', 'RRM', 'disorder'] as const),
] as const;

/** Text in these is no value; of keys that are not known nobody can say. */
const NUMERIC: ReadonlySet<string> = new Set(TRACK_KEYS.filter((key) => key !== 'viterbi'));

/** Header as the user wrote it, by the id in the results; an id that is not listed is the header. */
export type RecordHeaders = Readonly<Record<string, string>>;

/** In the order of the payload. */
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
          // How long the engine took is no property of the protein.
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

/** As long as the chain. */
function numbers(values: readonly PayloadValue[] = [], length: number): Track {
  if (values.length === length && arePlain(values)) return values;
  const track = new Array<number | null>(length);
  for (let index = 0; index < length; index += 1) {
    const value = values[index];
    track[index] = typeof value === 'number' ? value : null;
  }
  return track;
}

/** The labels of `viterbi` come with a blank in front. */
function labels(values: readonly PayloadValue[] = [], length: number): Track {
  return Array.from({ length }, (_, index) => {
    const value = values[index] ?? null;
    return typeof value === 'string' ? value.trim() || null : value;
  });
}
