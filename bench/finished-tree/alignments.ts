/** Finished alignments: 5 to 20 rows of 80 to 200 columns, cut from the concatenated recorded alignments. */
import {
  CSV_HEADER,
  markedMetadata,
  recordedPayloads,
  residuesOf,
  Ring,
  statistics,
  statisticsHeader,
  type Residues,
} from './chain.ts';
import { between, finishedItem, historyOf, type Maker } from './finished.ts';

/** The number of different rows: a longer alignment repeats them under other names. */
const ROWS = 6;
const KEYS = [
  'backbone',
  'sidechain',
  'ppII',
  'coil',
  'sheet',
  'helix',
  'earlyFolding',
  'disoMine',
  'agmata',
];
const SPREADS = [
  'median',
  'thirdQuartile',
  'firstQuartile',
  'topOutlier',
  'bottomOutlier',
] as const;
type Spread = Readonly<Record<(typeof SPREADS)[number], number>>;

function rings(): { readonly rings: readonly Ring[]; readonly metadata: string } {
  // One row of cbbq3 has such a long gap that a part of it could contain nothing of that row.
  const recorded = recordedPayloads('alignment', 'msa').filter(
    ({ what }) => !what.startsWith('cbbq'),
  );
  const rows = Array.from({ length: ROWS }, (_, row) =>
    recorded.map(({ payload }): Residues => {
      const known = residuesOf(payload);
      const residues = known[row % known.length];
      if (!residues) throw new Error('A recorded alignment has no rows.');
      return {
        letters: residues.letters,
        values: Object.fromEntries(KEYS.map((key) => [key, residues.values[key] ?? []])),
      };
    }),
  );
  const [first] = recorded;
  if (!first) throw new Error('There are no recorded alignments.');
  return { rings: rows.map((parts) => new Ring(parts)), metadata: markedMetadata(first.payload) };
}

export function alignmentMaker(): Maker {
  const { rings: known, metadata } = rings();
  const ringOf = (row: number): Ring => known[row % ROWS] as Ring;
  const columnsKnown = ringOf(0).length;
  const spreads = new Spreads(known);
  return (n) => {
    const rows = between(5, 20, 'rows', n);
    const columns = between(80, 200, 'columns', n);
    const from = between(0, columnsKnown - 1, 'column', n);
    const names = Array.from({ length: rows }, (_, row) => `family${n}_row${row + 1}`);
    const letters = names.map((_, row) => ringOf(row).lettersOf(from, columns));
    const text = names.map((name, row) => `>${name}\n${letters[row]?.join('') ?? ''}\n`).join('');
    return {
      item: finishedItem('alignment', n, {
        input: { name: 'input.fasta', text },
        options: { kind: 'alignment' },
        title: `Family ${n}, ${rows} rows`,
        row: { file: `alignments/family${n}.fasta` },
      }),
      runSeconds: 3 * rows,
      engine: 'synthetic',
      files: (job) => {
        const members = (row: number): string => ringOf(row).jsonOf(from, columns);
        const proteins = names.map((name, row) => `"${name}":{${members(row)}}`).join(',');
        const sequences = names.map((name, row) => `"${name}":${JSON.stringify(letters[row])}`);
        const statisticsOf = (name: string, row: number): string => {
          const length = letters[row]?.filter((letter) => letter !== '-').length ?? 0;
          const cells = KEYS.flatMap((key) => statistics(ringOf(row).valuesOf(key, from, columns)));
          return `${[name, length, columns, '', ...cells].join(',')}\n`;
        };
        const spread = spreads.jsonOf(rows, from, columns);
        return [
          [
            'result.json',
            `{"proteins":{${proteins}},"sequences":{${sequences.join(',')}},"metadata":${metadata}}`,
          ],
          ['history.json', historyOf(job)],
          [
            'result.csv',
            CSV_HEADER + names.map((name, row) => ringOf(row).csvOf(name, from, columns)).join(''),
          ],
          ['metadata.csv', statisticsHeader(KEYS, true) + names.map(statisticsOf).join('')],
          [
            'distributions.json',
            `{"creation_date":"${job.finishedAt.slice(0, 19)}","results":${spread},"metadata":${metadata}}`,
          ],
        ];
      },
    };
  };
}

/** The distribution of the rows' values in each column, by the number of rows: there are few of them. */
class Spreads {
  readonly #rings: readonly Ring[];
  readonly #byRows = new Map<
    number,
    Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  >();

  constructor(rings: readonly Ring[]) {
    this.#rings = rings;
  }

  jsonOf(rows: number, from: number, columns: number): string {
    const known = this.#ofRows(rows);
    const keys = KEYS.map((key) => {
      const lists = SPREADS.map((spread) => {
        const list = known[key]?.[spread] ?? [];
        const start = from % list.length;
        const cut = [
          ...list.slice(start, start + columns),
          ...list.slice(0, Math.max(0, start + columns - list.length)),
        ];
        return `"${spread}":[${cut.join(',')}]`;
      });
      return `"${key}":{${lists.join(',')}}`;
    });
    return `{${keys.join(',')}}`;
  }

  #ofRows(rows: number): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
    const made = this.#byRows.get(rows);
    if (made) return made;
    const columns = this.#rings[0]?.length ?? 0;
    const spreads = Object.fromEntries(
      KEYS.map((key) => {
        const lists = Array.from({ length: columns }, (_, column) =>
          spreadOf(
            Array.from(
              { length: rows },
              (_row, row) => this.#rings[row % ROWS]?.values[key]?.[column],
            ),
          ),
        );
        return [
          key,
          Object.fromEntries(
            SPREADS.map((name) => [name, lists.map((one) => JSON.stringify(one?.[name] ?? null))]),
          ),
        ];
      }),
    );
    this.#byRows.set(rows, spreads);
    return spreads;
  }
}

/** Box plot after Tukey: whiskers end at the last value within 1.5 times the height of the box. */
function spreadOf(values: readonly unknown[]): Spread | null {
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (numbers.length === 0) return null;
  const quantile = (part: number): number => {
    const place = part * (numbers.length - 1);
    const [below, above] = [numbers[Math.floor(place)] ?? 0, numbers[Math.ceil(place)] ?? 0];
    return below + (above - below) * (place - Math.floor(place));
  };
  const [firstQuartile, median, thirdQuartile] = [quantile(0.25), quantile(0.5), quantile(0.75)];
  const reach = 1.5 * (thirdQuartile - firstQuartile);
  const within = numbers.filter(
    (value) => value >= firstQuartile - reach && value <= thirdQuartile + reach,
  );
  return {
    median,
    thirdQuartile,
    firstQuartile,
    topOutlier: within.at(-1) ?? median,
    bottomOutlier: within[0] ?? median,
  };
}
