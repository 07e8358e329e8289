/**
 * Paths → sources → rows → items and problems. Rows are read in batches, so memory does not grow with the table (except
 * for the ids, which must be unique, and JSON and YAML, which are read as a whole).
 */
import path from 'node:path';
import type { CheckedRow, Item } from '../domain/item.ts';
import { readCsv, readTsv } from './csv.ts';
import { IdRegister, RemoteIdRegister } from './ids.ts';
import { readInputFile } from './input-file.ts';
import { readJson, readJsonl, readYaml } from './objects.ts';
import { createComplaint, isError, toProblem, type Complaint } from './problems.ts';
import { readFastaFile, readLines, readSdf } from './records.ts';
import {
  createFileRow,
  checkRow,
  type RawRow,
  type ReadFrom,
  type RowContext,
  type RowReader,
} from './row.ts';
import {
  readFileName,
  findSources,
  createUnreadable,
  type ManifestDigest,
  type SourceFile,
  type SourceFormat,
} from './sources.ts';
import { LineTooLong, ROW_TOO_LONG, SourceText } from './text.ts';

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
  lines: readLines,
  sdf: readSdf,
  fasta: readFastaFile,
};

/** Rows under way at once: enough to keep the threads of the chemistry busy. */
const MAX_ROWS_AT_ONCE = 1_024;
/** Characters of their inputs. */
const MAX_CHARACTERS = 64_000_000;

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
  const adopted = new RemoteIdRegister();
  const underWay: Promise<CheckedRow>[] = [];
  let characters = 0;
  let count = 0;
  const start = (row: Promise<CheckedRow>): void => {
    underWay.push(row);
    const weigh = ({ item }: CheckedRow): void => void (characters += countInput(item));
    // A rejection is handled when the row is awaited.
    row.then(weigh).catch(() => undefined);
  };
  const next = async (): Promise<CheckedRow> => {
    const row = await underWay.shift();
    if (row === undefined) throw new RangeError('no row is under way');
    characters -= countInput(row.item);
    return adopted.claim(row);
  };
  for await (const { manifest, rows } of readManifests(paths, options)) {
    const context: RowContext = { manifest, ids, allowOutside };
    count += rows.filter(({ line }) => line !== null).length;
    if (count > MAX_ROWS) {
      const why = createComplaint('MANIFEST_ROWS_TOO_MANY', { limit: MAX_ROWS });
      start(Promise.resolve(createPathRow(manifest.name, why)));
      break;
    }
    for (const row of rows) {
      start(checkRow(row, context));
      while (underWay.length > MAX_ROWS_AT_ONCE || characters > MAX_CHARACTERS) yield await next();
    }
  }
  while (underWay.length > 0) yield await next();
}

function countInput(item: Item | null): number {
  return item?.input.text.length ?? 0;
}

interface RowsOfFile {
  readonly manifest: Pick<SourceFile, 'name' | 'path'>;
  readonly rows: readonly RawRow[];
}

async function* readManifests(
  paths: readonly string[],
  { allowOutside = false, onDigest }: ManifestCheckOptions,
): AsyncGenerator<RowsOfFile> {
  const read = new Set<string>();
  for (const given of paths) {
    for await (const source of findSources(given, allowOutside)) {
      if (source.type === 'problem') {
        const { name } = source;
        yield { manifest: { name, path: name }, rows: [createFileRow(source.complaint)] };
        continue;
      }
      const manifest = source.file;
      if (read.has(manifest.path)) {
        yield { manifest, rows: [createFileRow(createComplaint('MANIFEST_REPEATED', {}))] };
        continue;
      }
      read.add(manifest.path);
      for await (const rows of readManifest(manifest, onDigest)) yield { manifest, rows };
    }
  }
}

/** The rows of one file, and the problems of the whole file. */
async function* readManifest(
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
      const all = found.length > 0 ? [createFileRow(...found), ...rows] : rows;
      reported ||= all.some((row) => row.line !== null || row.complaints.some(isError));
      yield all;
    }
    const found = text.takeComplaints();
    if (found.length > 0) yield [createFileRow(...found)];
    reported ||= found.some(isError);
  } catch (error) {
    reported = true;
    yield [createFileRow(...text.takeComplaints(), toComplaint(error, file.format))];
  }
  if (!reported) yield [createFileRow(createComplaint('MANIFEST_EMPTY', {}))];
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

function toComplaint(error: unknown, format: string): Complaint {
  if (!(error instanceof LineTooLong)) return createUnreadable(error);
  const facts = { format: format.toUpperCase(), reason: ROW_TOO_LONG };
  return createComplaint('MANIFEST_SYNTAX', facts, { line: error.line });
}

function createPathRow(file: string, why: Complaint): CheckedRow {
  const source = { file, line: null };
  const problems = [toProblem(why, { ...source, id: null })];
  return { source, id: null, row: null, kind: null, item: null, problems };
}

/** `file`: its path without symbolic links. The user named it, so it may be anywhere. */
async function readInputRow(file: string, from: ReadFrom): Promise<RawRow> {
  const read = await readInputFile(path.basename(file), path.dirname(file), true);
  const row = { line: 1, nameHint: from.stem };
  if (typeof read !== 'string') {
    return { ...row, cells: null, complaints: [{ ...read, value: from.file }] };
  }
  const carried = { extension: from.extension, text: read };
  return { ...row, cells: { file: from.file }, complaints: [], carried };
}
