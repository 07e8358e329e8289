/** Checks that the CSV form of a result agrees with its JSON. */
import type { PayloadEntry, PayloadValue } from '../../results/payload.ts';
import { readResultCsv, type CsvEntry, type ResultCsv } from '../../results/result-csv.ts';
import { firstDisagreement, isNear } from './near.ts';

/** @returns what contradicts the result, in a sentence; null if they agree or the CSV has an unknown form */
export function csvDisagreement(text: string, entries: readonly PayloadEntry[]): string | null {
  const csv = readResultCsv(text);
  if (csv === null) return null;
  const expected = groupsOf(csv, entries);
  if (csv.entries.length !== expected.size) {
    return `result.csv has rows of ${csv.entries.length} sequences, result.json has ${expected.size}.`;
  }
  return firstDisagreement(csv.entries, [...expected], {
    isNamed: ({ id }, [key]) => id === key,
    compare: (got, [, wanted]) => entryDisagreement(got, wanted),
    lonely: ({ id }) => `result.csv has rows of "${id}", which match nothing in result.json.`,
  });
}

interface Group {
  /** '' if the payload does not show it. */
  readonly sequence: string;
  readonly values: Readonly<Record<string, readonly PayloadValue[]>>;
}

/**
 * The payload's entries by the id in the CSV. The two chains of a homodimer share a code: their rows follow each other.
 */
function groupsOf({ idColumn }: ResultCsv, entries: readonly PayloadEntry[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const { id, sequence, values, scalars } of entries) {
    const key = idColumn === 'chainCode' ? String(scalars['chainCode'] ?? '').trim() : id.trim();
    const former = groups.get(key);
    groups.set(key, former === undefined ? { sequence, values } : joined(former, sequence, values));
  }
  return groups;
}

function joined(former: Group, sequence: string, values: Group['values']): Group {
  const keys = Object.keys(former.values).filter((key) => key in values);
  const lists = keys.map((key) => [key, [...(former.values[key] ?? []), ...(values[key] ?? [])]]);
  const isShown = former.sequence !== '' && sequence !== '';
  return {
    sequence: isShown ? former.sequence + sequence : '',
    values: Object.fromEntries(lists) as Group['values'],
  };
}

function entryDisagreement({ id, residues, columns }: CsvEntry, wanted: Group): string | null {
  const length = wanted.sequence.length || Object.values(wanted.values)[0]?.length;
  if (length !== undefined && residues.length !== length) {
    return `result.csv has ${residues.length} residues of "${id}", result.json has ${length}.`;
  }
  const place = residues.findIndex((letter, at) => !isSameLetter(letter, wanted.sequence[at]));
  if (place !== -1) {
    const [got, other] = [residues[place] ?? '', wanted.sequence[place] ?? ''];
    return `result.csv has ${got} for residue ${place + 1} of "${id}", result.json has ${other}.`;
  }
  for (const [key, values] of Object.entries(wanted.values)) {
    const isNumbering = key === 'seqCodes';
    const cells = columns[isNumbering ? 'seqCode' : key];
    const isSame = isNumbering ? (one: number, other: number) => one === other : isNear;
    const found = cells && columnDisagreement(cells, values, isSame);
    if (found) return `${found} of ${key} for "${id}".`;
  }
  return null;
}

/** The beginning of the sentence about it. */
function columnDisagreement(
  cells: readonly string[],
  values: readonly PayloadValue[],
  isSame: (one: number, other: number) => boolean,
): string | null {
  if (cells.every((cell) => cell === '') && values.some((value) => typeof value === 'number')) {
    return 'result.csv has no values, but result.json has some,';
  }
  const place = cells.findIndex((cell, at) => {
    const value = values[at];
    return typeof value === 'number' && cell !== '' && !isSame(Number(cell), value);
  });
  if (place === -1) return null;
  return `At residue ${place + 1} result.csv has ${cells[place] ?? ''}, and result.json ${String(values[place])},`;
}

/** Values longer than a letter, or unknown to one of the two, cannot be compared. */
function isSameLetter(cell: string, letter: string | undefined): boolean {
  if (letter === undefined || cell.length > 1) return true;
  const [one, other] = [residueOf(cell), residueOf(letter)];
  return one === other || one === 'X' || other === 'X';
}

/** A gap may be blank or a dot. */
function residueOf(letter: string): string {
  return letter === '' || letter === '.' ? '-' : letter.toUpperCase();
}
