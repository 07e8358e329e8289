/**
 * Paths → sources → rows → items and problems. Rows are read in batches, so memory does not grow with the table (except
 * for the ids, which must be unique, and YAML, which is read as a whole).
 */
import path from 'node:path';
import type { CheckedRow } from '../domain/item.ts';
import { openChemist } from '../inputs/molecules/rdkit.ts';
import { readFileName } from './sources/file-name.ts';
import type { SourceFormat } from './sources/formats.ts';
import { IdRegister } from './ids.ts';
import { RowsInOrder } from './in-order.ts';
import { complaint, severityOf, toProblem, type Complaint } from './problems/problems.ts';
import { aboutFile, type RawRow, type ReadFrom, type RowReader } from './raw-row.ts';
import { readCsv, readTsv } from './readers/delimited.ts';
import { readFastaFile } from './readers/fasta.ts';
import { readInputRow } from './readers/input.ts';
import { readJson } from './readers/json.ts';
import { readJsonl } from './readers/jsonl.ts';
import { readSdf } from './readers/sdf.ts';
import { readSmi } from './readers/smi.ts';
import { RemoteIdRegister } from './remote-id.ts';
import { LineTooLong, ROW_TOO_LONG } from './readers/lines.ts';
import { readYaml } from './readers/yaml.ts';
import { checkRow, type RowContext } from './row.ts';
import { unreadable, type SourceFile } from './sources/source.ts';
import { sourcesOf } from './sources/sources.ts';
import { SourceText } from './sources/text.ts';

export interface ManifestDigest {
  /** The manifest as the user named it. */
  readonly file: string;
  /** SHA-256 of its bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

export interface ManifestCheckOptions {
  /** Allows `file` outside the manifest's folder. */
  readonly allowOutside?: boolean;
  /** Limit for the rows of all sources together. */
  readonly rowLimit?: number;
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

/** More would be a hundred years of work, and their ids would fill the memory. */
const ROW_LIMIT = 100_000_000;

/**
 * Reads the sources of all paths in order and yields every row once, checked; ids are unique across all of them. A
 * problem of a whole file is yielded as a row without a line. Throws only errors that the user did not cause.
 */
export async function* checkManifests(
  paths: readonly string[],
  options: ManifestCheckOptions = {},
): AsyncGenerator<CheckedRow> {
  const { allowOutside = false, rowLimit = ROW_LIMIT } = options;
  const ids = new IdRegister();
  const chemist = openChemist();
  const inOrder = new RowsInOrder();
  const adopted = new RemoteIdRegister();
  let count = 0;
  try {
    for await (const { manifest, rows } of rowsOf(paths, options)) {
      const context: RowContext = { manifest, ids, allowOutside, chemist };
      count += rows.length;
      if (count > rowLimit) {
        const why = complaint('MANIFEST_ROWS_TOO_MANY', { limit: rowLimit });
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
