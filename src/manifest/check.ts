/**
 * Paths → sources → rows → items and problems. Rows are read in batches, so memory does not grow with the table (except
 * for the ids, which must be unique, and YAML, which is read as a whole).
 */
import path from 'node:path';
import type { CheckedRow } from '../domain/item.ts';
import { openChemist } from '../kinds/molecule/rdkit.ts';
import { readFileName } from './sources/file-name.ts';
import type { SourceFormat } from './sources/formats.ts';
import { IdRegister } from './ids.ts';
import { complaint, severityOf, toProblem, type Complaint } from './problems/problems.ts';
import { aboutFile, type RawRow, type ReadFrom, type RowReader } from './raw-row.ts';
import { readCsv, readTsv } from './readers/delimited.ts';
import { readFastaFile } from './readers/fasta.ts';
import { readJson } from './readers/json.ts';
import { readSdf } from './readers/sdf.ts';
import { RemoteIdRegister } from './remote-id.ts';
import { LineTooLong, ROW_TOO_LONG, linesOf, type TextLine } from './readers/lines.ts';
import { readYaml } from './readers/yaml.ts';
import { checkRow, type RowContext } from './row.ts';
import { unreadable, type SourceFile } from './sources/source.ts';
import { sourcesOf } from './sources/sources.ts';
import { SourceText } from './sources/text.ts';
import { ColumnWatch } from './columns.ts';
import { jsonRow } from './readers/json-row.ts';
import { readInputFile } from './sources/input-file.ts';

/** Limit for waiting rows: enough to keep the threads of both busy. */
const UNDER_WAY = 1_024;
/** Limit for characters of inputs that wait behind an unfinished row. */
const CHARACTERS = 64_000_000;

class RowsInOrder {
  #rows: (CheckedRow | Promise<CheckedRow>)[] = [];
  #next = 0;
  #characters = 0;

  get length(): number {
    return this.#rows.length - this.#next;
  }

  /** The next row is ready, or the limit is reached. */
  get isDue(): boolean {
    if (this.length === 0) return false;
    if (!(this.#rows[this.#next] instanceof Promise)) return true;
    return this.length > UNDER_WAY || this.#characters > CHARACTERS;
  }

  add(row: CheckedRow | Promise<CheckedRow>): void {
    // A rejection is handled when the row is awaited.
    if (row instanceof Promise) row.then((ready) => this.#weigh(ready, 1)).catch(() => undefined);
    else this.#weigh(row, 1);
    this.#rows.push(row);
  }

  /** The next row; `length` must not be 0. */
  next(): CheckedRow | Promise<CheckedRow> {
    const row = this.#rows[this.#next];
    if (row === undefined) throw new RangeError('no row is under way');
    this.#next += 1;
    if (this.#next === this.#rows.length) {
      this.#rows = [];
      this.#next = 0;
    } else if (this.#next > UNDER_WAY) {
      this.#rows = this.#rows.slice(this.#next);
      this.#next = 0;
    }
    if (!(row instanceof Promise)) this.#weigh(row, -1);
    else
      return row.then((ready) => {
        this.#weigh(ready, -1);
        return ready;
      });
    return row;
  }

  #weigh({ item }: CheckedRow, sign: 1 | -1): void {
    this.#characters += sign * (item?.input.text.length ?? 0);
  }
}

/**
 * SMILES files: one SMILES per line, followed by a space or tab and its name (Daylight, OpenSMILES 4.5). Lines that
 * begin with `#` are comments; a first line whose first column is called SMILES is a header, as RDKit and ZINC write
 * it.
 */
const HEADER = /^(canonical_?|isomeric_?)?smiles(\s|$)/i;

const readSmi: RowReader = async function* (text, from) {
  const lines = new SmiLines(from);
  for await (const some of linesOf(text)) yield some.flatMap((line) => lines.read(line));
};

class SmiLines {
  readonly #stem: string;
  #records = 0;
  #mayBeHeader = true;

  constructor({ stem }: ReadFrom) {
    this.#stem = stem;
  }

  read({ text, number }: TextLine): RawRow[] {
    const content = text.trim();
    if (content === '' || content.startsWith('#')) return [];
    const isHeader = this.#mayBeHeader && HEADER.test(content);
    this.#mayBeHeader = false;
    if (isHeader) return [];
    this.#records += 1;
    const [, smiles = content, name = ''] = /^(\S+)\s+(.*)$/s.exec(content) ?? [];
    const cells = name === '' ? { smiles } : { smiles, name };
    // Tables with more columns begin with these two.
    const called = name.split('\t')[0] ?? '';
    const nameHint = called === '' ? `${this.#stem}-${String(this.#records)}` : called;
    return [{ line: number, cells, complaints: [], nameHint }];
  }
}

/** JSONL: one JSON object per line. */
const readJsonl: RowReader = async function* (text) {
  const columns = new ColumnWatch();
  for await (const lines of linesOf(text)) {
    yield lines
      .filter((line) => line.text.trim() !== '')
      .map((line) => jsonRow(line.text, line.number, columns));
  }
};

export interface ManifestDigest {
  /** The manifest as the user named it. */
  readonly file: string;
  /** SHA-256 of its bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

export interface ManifestCheckOptions {
  /** Allows `file` outside the manifest's folder. */
  readonly allowOutside?: boolean;
  /** Called with the digest of every file that was read completely. */
  readonly onDigest?: (digest: ManifestDigest) => void;
}

const READERS: Readonly<Record<Exclude<SourceFormat, 'input'>, RowReader>> = {
  csv: readCsv,
  tsv: readTsv,
  jsonl: readJsonl,
  json: readJson,
  yaml: readYaml,
  smi: readSmi,
  sdf: readSdf,
  fasta: readFastaFile,
};

/** Six weeks of work at 100 jobs an hour; more would be a tree, tables and a report that nobody can handle. */
const MAX_ROWS = 100_000;

/**
 * Reads the sources of all paths in order and yields every row once, checked; ids are unique across all of them. A
 * problem of a whole file is yielded as a row without a line. Throws only errors that the user did not cause.
 */
export async function* checkManifests(
  paths: readonly string[],
  options: ManifestCheckOptions = {},
): AsyncGenerator<CheckedRow> {
  const { allowOutside = false } = options;
  const ids = new IdRegister();
  const chemist = openChemist();
  const inOrder = new RowsInOrder();
  const adopted = new RemoteIdRegister();
  let count = 0;
  try {
    for await (const { manifest, rows } of rowsOf(paths, options)) {
      const context: RowContext = { manifest, ids, allowOutside, chemist };
      count += rows.filter(({ line }) => line !== null).length;
      if (count > MAX_ROWS) {
        const why = complaint('MANIFEST_ROWS_TOO_MANY', { limit: MAX_ROWS });
        inOrder.add(aboutPath(manifest.name, why));
        break;
      }
      for (const row of rows) {
        inOrder.add(checkRow(row, context));
        while (inOrder.isDue) yield adopted.claim(await inOrder.next());
      }
    }
    while (inOrder.length > 0) yield adopted.claim(await inOrder.next());
  } finally {
    await chemist.close();
  }
}

interface RowsOfFile {
  readonly manifest: Pick<SourceFile, 'name' | 'path'>;
  readonly rows: readonly RawRow[];
}

async function* rowsOf(
  paths: readonly string[],
  { allowOutside = false, onDigest }: ManifestCheckOptions,
): AsyncGenerator<RowsOfFile> {
  const read = new Set<string>();
  for (const given of paths) {
    for await (const source of sourcesOf(given, allowOutside)) {
      if (source.type === 'problem') {
        const { name } = source;
        yield { manifest: { name, path: name }, rows: [aboutFile(source.complaint)] };
        continue;
      }
      const manifest = source.file;
      if (read.has(manifest.path)) {
        yield { manifest, rows: [aboutFile(complaint('MANIFEST_REPEATED', {}))] };
        continue;
      }
      read.add(manifest.path);
      for await (const rows of rowsOfFile(manifest, onDigest)) yield { manifest, rows };
    }
  }
}

/** The rows of one file, and the problems of the whole file. */
async function* rowsOfFile(
  file: SourceFile,
  onDigest: ManifestCheckOptions['onDigest'],
): AsyncGenerator<readonly RawRow[]> {
  const text = new SourceText(file.path);
  // A manifest without rows must not count as valid.
  let reported = false;
  try {
    for await (const rows of readRows(file, text)) {
      // Invalid bytes explain later problems, so they come first.
      const found = text.takeComplaints();
      const all = found.length > 0 ? [aboutFile(...found), ...rows] : rows;
      reported ||= all.some((row) => row.line !== null || row.complaints.some(isError));
      yield all;
    }
    const found = text.takeComplaints();
    if (found.length > 0) yield [aboutFile(...found)];
    reported ||= found.some(isError);
  } catch (error) {
    reported = true;
    yield [aboutFile(...text.takeComplaints(), brokenOff(error, file.format))];
  }
  if (!reported) yield [aboutFile(complaint('MANIFEST_EMPTY', {}))];
  const sha256 = text.digest();
  if (sha256 !== null) onDigest?.({ file: file.name, sha256 });
}

async function* readRows(
  { name, path: file, format }: SourceFile,
  text: SourceText,
): AsyncGenerator<readonly RawRow[]> {
  const from = readFrom(name);
  if (format !== 'input') {
    yield* READERS[format](text.pieces(), from);
    return;
  }
  const row = await readInputRow(file, from);
  if (row.cells !== null) await text.drain();
  yield [row];
}

function readFrom(name: string): ReadFrom {
  const { stem, extension } = readFileName(name);
  return { file: path.basename(name), stem, extension };
}

function brokenOff(error: unknown, format: string): Complaint {
  if (!(error instanceof LineTooLong)) return unreadable(error);
  const facts = { format: format.toUpperCase(), reason: ROW_TOO_LONG };
  return complaint('MANIFEST_SYNTAX', facts, { line: error.line });
}

function isError({ code }: Complaint): boolean {
  return severityOf(code) === 'error';
}

function aboutPath(file: string, why: Complaint): CheckedRow {
  const source = { file, line: null };
  const problems = [toProblem(why, { ...source, id: null })];
  return { source, id: null, row: null, kind: null, item: null, problems };
}

/** `file`: its path without symbolic links. The user named it, so it may be anywhere. */
async function readInputRow(file: string, from: ReadFrom): Promise<RawRow> {
  const read = await readInputFile(path.basename(file), path.dirname(file), true);
  const row = { line: 1, nameHint: from.stem };
  if (read.type === 'refused') {
    const shown = { ...read.complaint, value: from.file };
    return { ...row, cells: null, complaints: [shown] };
  }
  const carried = { extension: from.extension, text: read.text };
  return { ...row, cells: { file: from.file }, complaints: [], carried };
}
