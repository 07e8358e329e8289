/** Where a derived file differs from the one that its tree gives: its first line that does, in a sentence. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CAMPAIGN_SUMMARY, CHECKSUMS, CRATE, MULTIQC } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { readChecksums } from './checksums.ts';

/** A row of a table, or a line of another file. */
interface Row {
  /** Its first line, from 1. */
  readonly line: number;
  /** What it is about; '' for the frame of the file. */
  readonly subject: string;
  readonly cells: readonly string[];
}

interface Compared {
  readonly file: string;
  readonly found: AsyncIterable<Uint8Array>;
  readonly expected: AsyncIterable<Uint8Array>;
  /** Whether the lines about it are left out. */
  readonly isKnown: (subject: string) => boolean;
}

/** Both files are read at once, a line at a time. Null if only lines that are left out differ. */
export async function findDifference(compared: Compared): Promise<string | null> {
  const { file, found, expected } = compared;
  let leftOut = 0;
  const isKnown = (subject: string): boolean => {
    const known = compared.isKnown(subject);
    if (known) leftOut += 1;
    return known;
  };
  const [ours, theirs] = [readRows(file, found, isKnown), readRows(file, expected, isKnown)];
  let header: readonly string[] | null = null;
  try {
    for (;;) {
      const [is, should] = [(await ours.next()).value, (await theirs.next()).value];
      header ??= should?.cells ?? [];
      if (is === undefined && should === undefined)
        return leftOut > 0 ? null : `${file} is formatted differently.`;
      if (is === undefined) return `${file} lacks ${describeSubject(should)}.`;
      if (JSON.stringify(is.cells) === JSON.stringify(should?.cells)) continue;
      return `${file}, line ${is.line}: ${describe(is, should, header)}`;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return `${file} is no table: ${error.message}.`;
  } finally {
    await Promise.all([ours.return(undefined), theirs.return(undefined)]);
  }
}

function describe(is: Row, should: Row | undefined, header: readonly string[]): string {
  const what = describeSubject(is);
  if (should === undefined) return `${what} does not belong there.`;
  if (is.subject !== should.subject)
    return `${what} stands where ${describeSubject(should)} belongs.`;
  if (should.cells === header && should.cells.length > 1)
    return `the columns are not those of its items (${is.cells.join(', ')}).`;
  if (should.cells.length === 1) return `${what} is not what the tree gives.`;
  const column = header.findIndex((_, n) => is.cells[n] !== should.cells[n]);
  const [cell = '', expected = ''] = [is.cells[column], should.cells[column]];
  return `${what} has ${JSON.stringify(cell)} for ${header[column] ?? 'no column'}, not ${JSON.stringify(expected)}.`;
}

function describeSubject(row: Row | undefined): string {
  return row?.subject || 'its frame';
}

async function* readRows(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  isKnown: (subject: string) => boolean,
): AsyncGenerator<Row, undefined> {
  const rows = file in SUBJECTS ? readLines(chunks, SUBJECTS[file]) : readTable(chunks);
  for await (const row of rows) if (!isKnown(row.subject)) yield row;
  return undefined;
}

/** What a line is about, of files that are no tables. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  [CAMPAIGN_SUMMARY]: /^ *"([^"]+)":/,
  [CRATE]: /^\{"@id":"([^"]+)"/,
  [MULTIQC]: /^"([^"]+)":\{/,
};

async function* readLines(chunks: AsyncIterable<Uint8Array>, subject = /^$/): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(chunks) })) {
    line += 1;
    yield { line, subject: subject.exec(text)?.[1] ?? '', cells: [text] };
  }
}

/** The rows of a table begin with the id of their item. */
async function* readTable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const options = { info: true, relax_column_count: true, relax_quotes: true };
  const rows = Readable.from(chunks).compose(parse(options)) as AsyncIterable<{
    readonly info: { readonly lines: number };
    readonly record: readonly string[];
  }>;
  let line = 1;
  for await (const { info, record } of rows) {
    yield { line, subject: record[0] ?? '', cells: record };
    line = info.lines + 1;
  }
}

interface FileDifference {
  readonly key: string;
  readonly message: string;
  /** SHA256SUMS lacks it. */
  readonly isAdded: boolean;
}

/** The files whose line in SHA256SUMS differs. Both are read at once, and only lines that differ are kept. */
export async function compareChecksums(
  found: Store,
  expected: Store,
): Promise<readonly FileDifference[]> {
  const [ours, theirs] = [readChecksums(found), readChecksums(expected)];
  const [signed, all] = [new Map<string, string>(), new Map<string, string>()];
  for (;;) {
    const [is, should] = [(await ours.next()).value, (await theirs.next()).value];
    if (is === undefined && should === undefined) break;
    if (is) signed.set(...is);
    if (should) all.set(...should);
    for (const [key = ''] of [is ?? [], should ?? []]) {
      if (signed.get(key) !== all.get(key)) continue;
      signed.delete(key);
      all.delete(key);
    }
  }
  return [...new Set([...all.keys(), ...signed.keys()])].map((key) => {
    const isAdded = !signed.has(key);
    let message = `${key} is not what was published: ${CHECKSUMS} has another digest.`;
    if (isAdded) message = `${key} is not in ${CHECKSUMS}: it was added later.`;
    if (!all.has(key)) message = `${key} is missing; ${CHECKSUMS} lists it.`;
    return { key, message, isAdded };
  });
}
