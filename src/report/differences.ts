/**
 * Where a derived file differs from the one that its tree gives. Lines about the same thing (the rows of an item, an
 * entity of the crate) are compared as a group, wherever they stand. They are never interpreted: the text stays in single
 * bytes (latin1).
 */
import { parse } from 'csv-parse/sync';
import { CHECKSUMS, CRATE, MULTIQC } from '../store/layout.ts';

interface Difference {
  /** What the lines are about; '' for the whole file. */
  readonly about: string;
  readonly message: string;
  /** The file lacks the lines: whatever they are about came later. */
  readonly isAdded: boolean;
}

/** Consecutive lines about one thing. */
interface Group {
  readonly subject: string;
  /** Number of the first line, from 1. */
  readonly line: number;
  readonly lines: string[];
}

interface Pair {
  readonly found?: Group;
  readonly expected?: Group;
}

/** Maximum number of differences that are named. */
const MAX_NAMED = 20;

/** Empty if only the order of the lines differs. Memory holds what only one of the files has so far. */
export async function findDifferences(
  file: string,
  found: AsyncIterable<Uint8Array>,
  expected: AsyncIterable<Uint8Array>,
): Promise<readonly Difference[]> {
  const subjectOf = SUBJECTS[file] ?? readId;
  const [ours, theirs] = [readGroups(found, subjectOf), readGroups(expected, subjectOf)];
  const unequal = new Map<string, Pair>();
  let header = '';
  for (;;) {
    const [one, other] = await Promise.all([ours.next(), theirs.next()]);
    if (one.done === true && other.done === true) break;
    if (header === '') header = one.value?.lines[0] ?? '';
    if (one.value) match(unequal, one.value.subject, { found: one.value });
    if (other.value) match(unequal, other.value.subject, { expected: other.value });
  }
  return [...unequal].slice(0, MAX_NAMED).map(([subject, pair]) => ({
    about: decodeUtf8(subject),
    message: describe(file, decodeUtf8(subject), pair, header),
    isAdded: pair.found === undefined,
  }));
}

function match(unequal: Map<string, Pair>, subject: string, side: Pair): void {
  const pair = { ...unequal.get(subject), ...side };
  unequal.set(subject, pair);
  if (pair.found?.lines.join('\n') === pair.expected?.lines.join('\n')) unequal.delete(subject);
}

async function* readGroups(
  chunks: AsyncIterable<Uint8Array>,
  subjectOf: (line: string) => string,
): AsyncGenerator<Group, undefined> {
  let group: Group | null = null;
  let number = 0;
  for await (const line of readLines(chunks)) {
    number += 1;
    const last: string = group?.lines.at(-1) ?? '';
    // A line break inside of a quoted cell: the row goes on.
    if (group !== null && subjectOf === readId && last.split('"').length % 2 === 0) {
      group.lines[group.lines.length - 1] = `${last}\n${line}`;
      continue;
    }
    const subject = subjectOf(line);
    if (group !== null && group.subject === subject) group.lines.push(line);
    else {
      if (group !== null) yield group;
      group = { subject, line: number, lines: [line] };
    }
  }
  if (group !== null) yield group;
  return undefined;
}

/** Without line ends; also a last line without one. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The decoded text, for messages. */
function decodeUtf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** 64 digits, two spaces. */
const DIGEST_AND_BLANKS = 66;

/** What the lines of a file are about, other than those of a table. */
const SUBJECTS: Readonly<Record<string, (line: string) => string>> = {
  [CHECKSUMS]: (line) => line.slice(DIGEST_AND_BLANKS),
  [CRATE]: (line) => /^\{"@id":"([^"]+)"/.exec(line)?.[1] ?? '',
  [MULTIQC]: (line) => /^"([^"]+)":\{/.exec(line)?.[1] ?? '',
};

/** The rows of a table begin with the id of their item. */
function readId(row: string): string {
  return row.split(',', 1)[0] ?? '';
}

function describe(file: string, subject: string, pair: Pair, header: string): string {
  const { found, expected } = pair;
  if (file === CHECKSUMS) {
    if (!found) return `${subject} is not in ${file}: it was added later.`;
    if (!expected) return `${subject} is missing; ${file} lists it.`;
    return `${subject} is not what was published: ${file} has another digest.`;
  }
  const what = subject === '' ? 'its frame' : subject;
  if (!found) return `${file} lacks ${what}.`;
  const where = `${file}, line ${found.line}: ${what}`;
  if (!expected) return `${where} does not belong there.`;
  return file in SUBJECTS
    ? `${where} is not what the tree gives.`
    : describeRows(file, found, expected, parseCells(header));
}

function describeRows(
  file: string,
  found: Group,
  expected: Group,
  columns: readonly string[],
): string {
  if (found.line === 1)
    return `${file}, line 1: the columns are not those of its items (${columns.join(', ')}).`;
  const where = `${file}, line ${found.line}: ${decodeUtf8(found.subject)}`;
  const [is, should] = [found.lines.length, expected.lines.length];
  if (is !== should) return `${where} has ${is} ${is === 1 ? 'row' : 'rows'}, not ${should}.`;
  const row = found.lines.findIndex((text, n) => text !== expected.lines[n]);
  const [cells, wanted] = [
    parseCells(found.lines[row] ?? ''),
    parseCells(expected.lines[row] ?? ''),
  ];
  const column = columns.findIndex((_, n) => cells[n] !== wanted[n]);
  const ofRows = is === 1 ? '' : `, row ${row + 1} of ${is},`;
  // Only quotes or line ends differ.
  if (column < 0) return `${where}${ofRows} is formatted differently.`;
  return `${where}${ofRows} has ${JSON.stringify(cells[column] ?? '')} for ${columns[column]}, not ${JSON.stringify(wanted[column] ?? '')}.`;
}

function parseCells(row: string): readonly string[] {
  try {
    const [cells = []] = parse(decodeUtf8(row));
    return cells;
  } catch {
    return [decodeUtf8(row)];
  }
}
