/**
 * Paths → sources → rows → items and problems. A file is read as a whole; its rows are checked a few at a time, so that
 * the items of a large table are not in memory together.
 */
import { hash } from 'node:crypto';
import path from 'node:path';
import type { CheckedRow, Item } from '../domain/campaign.ts';
import { readCsv, readTsv } from './csv.ts';
import { IdRegister, RemoteIdRegister } from './ids.ts';
import {
  readInputFile,
  readFileName,
  digestFile,
  findSources,
  createUnreadable,
  type ManifestDigest,
  type SourceFile,
  type SourceFormat,
} from './sources.ts';
import {
  createTableTooLarge,
  readJson,
  readJsonl,
  readYaml,
  readFastaFile,
  readLines,
  readSdf,
} from './formats.ts';
import { listKinds } from '../kinds/registry.ts';
import { type Finding, createError } from '../kinds/kind.ts';
import { isError } from './problems.ts';
import {
  createFileRow,
  checkRow,
  MAX_ROWS,
  type RawRow,
  type ReadFrom,
  type RowReader,
} from './row.ts';
import { decodeTable, readLimited, TooLarge, unpack } from './text.ts';

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
  for await (const { manifest, row } of readManifests(paths, options)) {
    if (row.line !== null) count += 1;
    if (count > MAX_ROWS) {
      const why = createError(
        'MANIFEST_ROWS_TOO_MANY',
        `There are more than ${MAX_ROWS.toLocaleString('en')} rows.`,
        'Run them as several campaigns: `split -l 50000 ligands.smi part-` cuts a list; the parts of a table each need its header line.',
      );
      start(checkRow(createFileRow(why), { manifest, ids, allowOutside }));
      break;
    }
    start(checkRow(row, { manifest, ids, allowOutside }));
    while (underWay.length > MAX_ROWS_AT_ONCE || characters > MAX_CHARACTERS) yield await next();
  }
  while (underWay.length > 0) yield await next();
}

function countInput(item: Item | null): number {
  return item?.input.text.length ?? 0;
}

interface RowOfFile {
  readonly manifest: Pick<SourceFile, 'name' | 'path'>;
  readonly row: RawRow;
}

type OnDigest = ManifestCheckOptions['onDigest'];

const REPEATED = createError(
  'MANIFEST_REPEATED',
  'The same file is given twice.',
  'Name each file once, by its name or by a pattern.',
);

async function* readManifests(
  paths: readonly string[],
  { allowOutside = false, onDigest }: ManifestCheckOptions,
): AsyncGenerator<RowOfFile> {
  const read = new Set<string>();
  for (const given of paths) {
    for await (const source of findSources(given, allowOutside)) {
      if (source.type === 'problem') {
        const { name } = source;
        yield { manifest: { name, path: name }, row: createFileRow(source.finding) };
        continue;
      }
      const manifest = source.file;
      if (read.has(manifest.path)) {
        yield { manifest, row: createFileRow(REPEATED) };
        continue;
      }
      read.add(manifest.path);
      for await (const row of readManifest(manifest, onDigest)) yield { manifest, row };
    }
  }
}

/** The rows of one file, and the problems of the whole file. */
async function* readManifest(file: SourceFile, onDigest: OnDigest): AsyncGenerator<RawRow> {
  // A manifest without rows must not count as valid.
  let reported = false;
  try {
    for await (const row of readRows(file, onDigest)) {
      reported ||= row.line !== null || row.findings.some(isError);
      yield row;
    }
  } catch (error) {
    reported = true;
    yield createFileRow(explainFailure(error, file.format));
  }
  if (reported) return;
  const kinds = listKinds().map(({ words }) => words.one);
  const remedy = `Write one row for each ${kinds.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`;
  yield createFileRow(createError('MANIFEST_EMPTY', 'The manifest has no rows.', remedy));
}

/** Of a file that is read as a whole: a text has up to 512 MB. */
const MAX_MANIFEST_BYTES = 500_000_000;

async function* readRows(
  { name, path: file, format }: SourceFile,
  onDigest: OnDigest,
): AsyncGenerator<RawRow> {
  const { stem, extension } = readFileName(name);
  const from = { file: path.basename(name), stem, extension };
  if (format === 'input') {
    const row = await readInputRow(file, from);
    if (row.cells !== null) onDigest?.({ file: name, sha256: await digestFile(file) });
    yield row;
    return;
  }
  const bytes = await readLimited(file, MAX_MANIFEST_BYTES);
  const { text, findings } = decodeTable(await unpack(bytes, MAX_MANIFEST_BYTES));
  onDigest?.({ file: name, sha256: hash('sha256', bytes) });
  // Invalid bytes explain later problems, so they come first.
  if (findings.length > 0) yield createFileRow(...findings);
  yield* READERS[format](text, from);
}

function explainFailure(error: unknown, format: string): Finding {
  return error instanceof TooLarge
    ? createTableTooLarge(format.toUpperCase(), MAX_MANIFEST_BYTES)
    : createUnreadable(error);
}

/** `file`: its path without symbolic links. The user named it, so it may be anywhere. */
async function readInputRow(file: string, from: ReadFrom): Promise<RawRow> {
  const read = await readInputFile(path.basename(file), path.dirname(file), true);
  const row = { line: 1, nameHint: from.stem };
  if (typeof read !== 'string') {
    return { ...row, cells: null, findings: [{ ...read, value: from.file }] };
  }
  const carried = { extension: from.extension, text: read };
  return { ...row, cells: { file: from.file }, findings: [], carried };
}
