/** What can be wrong with a job's result: systematic corruptions, each applied to every recording of the engines. */

export type Texts = Readonly<Record<string, string>>;

/** A recorded job: its input, what the service answers, and what another job of the same kind got. */
export interface Recorded {
  readonly what: string;
  /** The text of the input file, or a SMILES. */
  readonly input: string;
  readonly texts: Texts;
  readonly other: Texts;
}

/** Null: it changes nothing in this recording. */
export type Corruption = (job: Recorded) => Partial<Pick<Recorded, 'input' | 'texts'>> | null;

const WEB_PAGE = '<!DOCTYPE html><html><body>Sign in</body></html>';

/** In one of the texts. */
function inText(key: string, change: (text: string, other: string) => string): Corruption {
  return ({ texts, other }) => {
    const text = texts[key];
    if (text === undefined) return null;
    const changed = change(text, other[key] ?? '');
    return changed === text ? null : { texts: { ...texts, [key]: changed } };
  };
}

const half = (text: string): string => text.slice(0, text.length / 2);

/** Lines that match, in their order, replaced by what `change` makes of them. */
function inLines(pattern: RegExp, change: (lines: string[]) => string[]) {
  return (text: string): string => {
    const lines = text.split('\n');
    const found = lines.flatMap((line, at) => (pattern.test(line) ? [at] : []));
    const changed = change(found.map((at) => lines[at] ?? ''));
    const first = found[0];
    if (first === undefined) return text;
    const kept = lines.filter((_, at) => !found.includes(at));
    return [...kept.slice(0, first), ...changed, ...kept.slice(first)].join('\n');
  };
}

const swapFirst = ([one = '', two = '', ...rest]: string[]): string[] => [two, one, ...rest];
const swapEnds = (lines: string[]): string[] => [
  lines.at(-1) ?? '',
  ...lines.slice(1, -1),
  lines[0] ?? '',
];

/** Rows of the atoms in a GROMACS topology: number, type, residue, name, …, charge and mass. */
const TOPOLOGY_ATOM = /^ +\d+ +\w+ +\d+ +\w+ +\w+ +\d+ +-?\d+\.\d+ +\d+\.\d+/;
/** Rows of a GROMACS structure: residue, name, number, three coordinates. */
const PLACED_ATOM = /^ +\d+ *\w+ +\w+ +\d+ +-?\d+\.\d+ +-?\d+\.\d+ +-?\d+\.\d+/;
const MOL2_ATOM = /^ +\d+ +\w+ +-?\d+\.\d+ +-?\d+\.\d+ +-?\d+\.\d+ +\w+ /;

const number = (change: (value: number) => string) => (text: string) =>
  text.replace(/-?\d+\.\d+/g, (value) => change(Number(value)).padStart(value.length));

/** The 19 texts of a molecule. */
export const MOLECULE_CORRUPTIONS: Readonly<Record<string, Corruption>> = {
  none: () => ({}),
  'no text at all': () => ({ texts: {} }),
  'a text is missing': ({ texts: { GMX_top: _, ...texts } }) => ({ texts }),
  'a text is empty': inText('GMX_gro', () => ''),
  'a text is a web page': inText('CNS_inp', () => WEB_PAGE),
  'topology cut in half': inText('GMX_itp', half),
  'coordinates cut in half': inText('GMX_gro', half),
  'library cut in half': inText('AC_lib', half),
  'parameters cut in half': inText('AC_prmtop', half),
  'two atoms of the topology swapped': inText('GMX_itp', inLines(TOPOLOGY_ATOM, swapEnds)),
  'two atoms of the coordinates swapped': inText('GMX_gro', inLines(PLACED_ATOM, swapEnds)),
  'an atom twice': inText(
    'GMX_itp',
    inLines(TOPOLOGY_ATOM, ([one = '', ...rest]) => [one, one, ...rest]),
  ),
  'an atom is missing': inText(
    'GMX_itp',
    inLines(TOPOLOGY_ATOM, (lines) => lines.slice(1)),
  ),
  'an atom moved by 1 nm': inText(
    'GMX_gro',
    inLines(PLACED_ATOM, ([one = '', ...rest]) => [
      one.replace(/(\d)(\.\d+)$/, (_, n, digits) => `${Number(n) + 1}${digits}`),
      ...rest,
    ]),
  ),
  'coordinates mirrored': inText(
    'GMX_gro',
    inLines(PLACED_ATOM, (lines) =>
      lines.map((line) =>
        line.replace(/-?\d+\.\d+$/, (z) => (-Number(z)).toFixed(3).padStart(z.length)),
      ),
    ),
  ),
  'coordinates in Å': inText(
    'GMX_gro',
    inLines(PLACED_ATOM, (lines) => lines.map(number((value) => (10 * value).toFixed(3)))),
  ),
  'a charge is not a number': inText(
    'GMX_itp',
    inLines(TOPOLOGY_ATOM, ([one = '', ...rest]) => [one.replace(/-?\d+\.\d+/, 'nan'), ...rest]),
  ),
  'a coordinate is not a number': inText(
    'GMX_gro',
    inLines(PLACED_ATOM, ([one = '', ...rest]) => [one.replace(/-?\d+\.\d+$/, 'nan'), ...rest]),
  ),
  'the charges of one more electron': inText(
    'GMX_itp',
    inLines(TOPOLOGY_ATOM, ([one = '', ...rest]) => [
      one.replace(/-?\d+\.\d+/, (q) => (Number(q) - 1).toFixed(6)),
      ...rest,
    ]),
  ),
  'an atom of mol2 is another element': inText(
    'mol2',
    inLines(MOL2_ATOM, ([one = '', ...rest]) => [
      one.replace(/ \w+(?= +\d+ +\w+ +-?\d+\.\d+$)/, ' cl'),
      ...rest,
    ]),
  ),
  'topology of another job': inText('GMX_itp', (_, other) => other),
  'coordinates of another job': inText('GMX_gro', (_, other) => other),
  'mol2 of another job': inText('mol2', (_, other) => other),
  'prmtop of another job': inText('AC_prmtop', (_, other) => other),
  'all texts of another job': ({ other }) => ({ texts: other }),
  'another stereoisomer was asked for': ({ input }) => {
    const mirrored = input.replace(/@@?/g, (at) => (at === '@' ? '@@' : '@'));
    return mirrored === input || input.includes('\n') ? null : { input: mirrored };
  },
  'a tautomer was asked for': ({ input }) => {
    const moved = input.replace('CC(=O)', 'C=C(O)');
    return moved === input || input.includes('\n') ? null : { input: moved };
  },
  'one more carbon was asked for': ({ input }) =>
    input.includes('\n') ? null : { input: `C${input}` },
};

type Entry = Record<string, unknown>;

/** In the proteins (or shift records) of a result. */
function inEntries(change: (entries: [string, Entry][]) => [string, Entry][]): Corruption {
  return ({ texts }) => {
    const result = JSON.parse(texts['result'] ?? '') as
      { proteins: Record<string, Entry> } | Entry[];
    if (Array.isArray(result)) {
      const entries = change(
        result.map((entry) => [String(entry['ID_file']), structuredClone(entry)]),
      );
      const changed = entries.map(([, entry]) => entry);
      return { texts: { ...texts, result: JSON.stringify(changed) } };
    }
    const proteins = Object.fromEntries(change(Object.entries(structuredClone(result.proteins))));
    return { texts: { ...texts, result: JSON.stringify({ ...result, proteins }) } };
  };
}

/** Of values: those of shifts are texts. Numbers of residues are whole. */
function isNumbers([first]: readonly unknown[]): boolean {
  return typeof first === 'number' ? !Number.isInteger(first) : /^-?\d+\.\d+$/.test(String(first));
}

/** In the lists of numbers of the first entry. */
function inValues(change: (values: unknown[], key: string) => unknown): Corruption {
  return inEntries(([[id, entry] = ['', {}], ...rest]) => {
    const lists = Object.entries(entry).map(([key, value]) =>
      Array.isArray(value) && isNumbers(value) ? [key, change(value, key)] : [key, value],
    );
    return [[id, Object.fromEntries(lists) as Entry], ...rest];
  });
}

const residuesKey = (entry: Entry): string => ('seq' in entry ? 'seq' : 'sequence');

function inResidues(change: (residues: string[]) => string[]): Corruption {
  return inEntries(([[id, entry] = ['', {}], ...rest]) => {
    const key = residuesKey(entry);
    const residues = entry[key];
    return [[id, Array.isArray(residues) ? { ...entry, [key]: change(residues) } : entry], ...rest];
  });
}

/** The files of a prediction. */
export const PREDICTION_CORRUPTIONS: Readonly<Record<string, Corruption>> = {
  none: () => ({}),
  'no bytes': inText('result', () => ''),
  'cut in half': inText('result', half),
  'cut before the last character': inText('result', (text) => text.trimEnd().slice(0, -1)),
  'a web page': inText('result', () => WEB_PAGE),
  'an empty object': inText('result', () => '{}'),
  'an empty list': inText('result', () => '[]'),
  null: inText('result', () => 'null'),
  'no record': inEntries(() => []),
  'the first record twice': inEntries(([first = ['', {}], ...rest]) => [
    first,
    [`${first[0]}_2`, first[1]],
    ...rest,
  ]),
  'the result of another job': ({ other }) => ({ texts: other }),
  'a value is missing': inValues((values) => values.slice(1)),
  'a value too many': inValues((values) => [...values, 0.5]),
  'a value is not a number': inText('result', (text) =>
    text.replace(/(?<=[[,]"?)-?\d+\.\d+/, 'NaN'),
  ),
  'no value is a number': inValues((values) => values.map(() => 'NaN')),
  'a value is infinite': inText('result', (text) =>
    text.replace(/(?<=[[,]"?)-?\d+\.\d+/, '-Infinity'),
  ),
  'a value is a text': inValues((values) => ['0.5 ', ...values.slice(1)]),
  'a value is absurd': inValues((values) => [1e9, ...values.slice(1)]),
  'all values are null': inValues((values) => values.map(() => null)),
  'a predictor is missing': inValues((values, key) =>
    key === 'backbone' || key === 'shiftCrypt' ? undefined : values,
  ),
  'a predictor has no values': inValues((values, key) => (key === 'backbone' ? [] : values)),
  'one residue differs': inResidues(([first, ...rest]) => [first === 'W' ? 'Y' : 'W', ...rest]),
  'the residues are reversed': inResidues((residues) => residues.toReversed()),
  'two residues are swapped': inResidues(swapFirst),
  'the table is cut in half': inText('csv', half),
  'two rows of the table are swapped': inText('csv', inLines(/^[^,]+,[^,]*,[^,]*,.*\d/, swapEnds)),
  'the values of the table are negative': inText(
    'csv',
    number((value) => (-value - 1).toFixed(3)),
  ),
  'the table of another job': inText('csv', (_, other) => other),
  'the metadata of another job': inText('metadata', (_, other) => other),
  'the distributions of another job': inText('distributions', (_, other) => other),
  'the distributions cut in half': inText('distributions', half),
  'one residue more was asked for': ({ input }) => {
    const more = input.replace(/^(>.*\n)/, '$1M');
    return more === input ? null : { input: more };
  },
};
