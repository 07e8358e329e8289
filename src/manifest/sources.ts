/**
 * The files that the user names. From paths to the files to read: manifests, libraries, single inputs, folders of them,
 * and patterns. And the input file of a row.
 *
 * Folders are not recursive: use a pattern for files in subfolders. Standard input is not supported: the same command
 * must be able to read it again.
 */
import { hash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { glob, readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { readErrno, hasErrno } from '../domain/process.ts';
import { nameFrom } from '../domain/name.ts';
import { formatShown, list, quote } from '../domain/plain-text.ts';
import { listKinds } from '../kinds/registry.ts';
import { type Finding, createError, createWarning } from '../kinds/kind.ts';
import { isZlibError, findBadLine, readLimited, SAVE_AS_UTF8, TooLarge, unpack } from './text.ts';
import { isUtf8 } from 'node:buffer';

/** Tables: every row states its kind. */
const TABLES = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.jsonl': 'jsonl',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
} as const;

type TableFormat = (typeof TABLES)[keyof typeof TABLES];
/** `lines`, `sdf` and `fasta`: several inputs, one item per record. `input`: a file that is one item. */
export type SourceFormat = TableFormat | 'lines' | 'sdf' | 'fasta' | 'input';

export interface SourceFile {
  /** As the user named it; for a folder, with the file name appended. */
  readonly name: string;
  /** Absolute and without symbolic links: paths in a manifest are checked against its folder. */
  readonly path: string;
  readonly format: SourceFormat;
}

type Source =
  | { readonly type: 'file'; readonly file: SourceFile }
  /** A problem of a path, which may be a warning and may come in addition to files. */
  | { readonly type: 'problem'; readonly name: string; readonly finding: Finding };

export interface ManifestDigest {
  /** The manifest as the user named it. */
  readonly file: string;
  /** SHA-256 of its bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The sources of one path, in a stable order. */
export async function* findSources(given: string, allowOutside: boolean): AsyncGenerator<Source> {
  try {
    const stats = await stat(given);
    if (stats.isDirectory()) yield* readFolder(given, allowOutside);
    else if (stats.isFile()) yield await createFileSource(given);
    else yield createProblemSource(given, NOT_REGULAR);
  } catch (error) {
    if (readSystemErrorCode(error) === 'ENOENT' && /[*?[{]/.test(given) && !given.includes('\0')) {
      yield* findMatching(given, allowOutside);
    } else yield createProblemSource(given, createUnreadable(error));
  }
}

const PATTERN_EMPTY = createError(
  'MANIFEST_PATTERN_EMPTY',
  'There is no such file, and as a pattern it matches nothing.',
  'Check the pattern; it is relative to the current folder, and case matters.',
);

/** A shell passes a pattern on if it matches no file or is quoted. */
async function* findMatching(pattern: string, allowOutside: boolean): AsyncGenerator<Source> {
  const found = await Array.fromAsync(glob(pattern));
  if (found.length === 0) yield createProblemSource(pattern, PATTERN_EMPTY);
  for (const name of sortNaturally(found)) yield* findSources(name, allowOutside);
}

const FORMATS =
  'Supported are tables (.csv, .tsv, .jsonl, .json, .yaml, .yml), libraries (.smi, .sdf, .fasta) and single inputs (.pdb, .mol2, .mol, .nef, .str), each also as .gz. From a spreadsheet, save "CSV UTF-8".';

/** A file of a known format; `name` determines it, also for a link to another name. */
async function createFileSource(name: string): Promise<Source> {
  const { extension } = readFileName(name);
  const format = findFormat(extension);
  if (format === null) {
    const message =
      extension === ''
        ? 'The file has no extension, so its format is unknown.'
        : `A file ending in ${formatShown(extension)} is neither a manifest nor an input.`;
    return createProblemSource(name, createError('MANIFEST_FORMAT', message, FORMATS));
  }
  return { type: 'file', file: { name, path: await realpath(path.resolve(name)), format } };
}

function createProblemSource(name: string, why: Finding): Source {
  return { type: 'problem', name, finding: why };
}

function createNotReadable(reason: string): Finding {
  return createError(
    'MANIFEST_UNREADABLE',
    `The manifest cannot be read (${reason}).`,
    'Check that it is a regular file and that you can read it.',
  );
}

const NOT_REGULAR = createNotReadable('not a regular file');

/** A folder means the manifest in it, or else the input files in it. Throws errors of the file system. */
async function* readFolder(given: string, allowOutside: boolean): AsyncGenerator<Source> {
  const entries = await readdir(given, { withFileTypes: true });
  const manifests = entries.map(({ name }) => name).filter(isManifestName);
  const [only] = manifests;
  if (manifests.length > 1) {
    const ambiguous = createError(
      'MANIFEST_FOLDER_AMBIGUOUS',
      `The folder contains several manifests: ${list(sortNaturally(manifests))}.`,
      'Give the one that you mean, or several of them, as files.',
    );
    yield createProblemSource(given, ambiguous);
  } else if (only !== undefined) yield await createEntrySource(given, only, allowOutside);
  else yield* findInputFiles(given, entries, allowOutside);
}

/** `manifest.csv`, `manifest.jsonl.gz`, … */
function isManifestName(name: string): boolean {
  const { stem, extension } = readFileName(name);
  return stem === 'manifest' && Object.hasOwn(TABLES, extension);
}

/** Maximum number of skipped names that are listed. */
const MAX_NAMED = 3;

async function* findInputFiles(
  given: string,
  entries: readonly Dirent[],
  allowOutside: boolean,
): AsyncGenerator<Source> {
  const inputs = entries.filter(isInput).map(({ name }) => name);
  const others = entries.filter((entry) => !isInput(entry)).map(({ name }) => name);
  if (inputs.length === 0) {
    yield createProblemSource(given, createNoInputs(others.filter((name) => isTable(name))));
    return;
  }
  if (others.length > 0) yield createProblemSource(given, createSkipped(others));
  for (const name of sortNaturally(inputs))
    yield await createEntrySource(given, name, allowOutside);
}

function createNoInputs(tables: readonly string[]): Finding {
  return tables.length === 0
    ? createError(
        'MANIFEST_FOLDER_EMPTY',
        'The folder contains neither a manifest nor an input file.',
        'Give a manifest file, or a folder that contains a manifest.csv or input files.',
      )
    : createError(
        'MANIFEST_FOLDER_EMPTY',
        `The folder contains no manifest.*, but other tables: ${list(sortNaturally(tables))}.`,
        "Give the tables that you mean as files, or all of them with a pattern: 'FOLDER/*.csv'.",
      );
}

function createSkipped(others: readonly string[]): Finding {
  const names = list(sortNaturally(others).slice(0, MAX_NAMED));
  return createWarning(
    'MANIFEST_FOLDER_SKIPPED',
    others.length === 1
      ? `One entry of the folder is not an input and is skipped: ${names}.`
      : `${others.length} entries of the folder are not inputs and are skipped: ${names}${others.length > MAX_NAMED ? ', …' : '.'}`,
    'No action is needed if they are not inputs. Subfolders are not searched: name them, or use a pattern.',
  );
}

function isTable(name: string): boolean {
  return Object.hasOwn(TABLES, readFileName(name).extension);
}

/** Tables are not inputs: results of an earlier run must not be taken for work. Nor are notes. */
function isInput(entry: Dirent): boolean {
  const isFile = (entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith('.');
  const { extension } = readFileName(entry.name);
  return isFile && !isTable(entry.name) && extension !== ANY_TEXT && findFormat(extension) !== null;
}

/** A problem of one entry does not hide the others. A link may have been copied, and must not expose files elsewhere. */
async function createEntrySource(
  given: string,
  entry: string,
  allowOutside: boolean,
): Promise<Source> {
  const name = path.join(given, entry);
  try {
    const source = await createFileSource(name);
    if (source.type === 'problem') return source;
    const file = source.file.path;
    if (!allowOutside && !isInside(file, await realpath(given)))
      return createProblemSource(name, createOutside(entry));
    return (await stat(file)).isFile() ? source : createProblemSource(name, NOT_REGULAR);
  } catch (error) {
    return createProblemSource(name, createUnreadable(error));
  }
}

function createOutside(value: string): Finding {
  return createError(
    'MANIFEST_FILE_OUTSIDE',
    `${quote(value)} is outside the folder of the manifest.`,
    'Copy the file beside the manifest, or pass --allow-outside if you trust it.',
    { column: 'file', value },
  );
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** What a text editor or a web page calls any text: the kinds that recognise their inputs are asked. */
const ANY_TEXT = '.txt';

/** The kinds whose input a file with this extension may be. */
export function listKindsWith(extension: string) {
  return listKinds().filter(({ input }) =>
    extension === ANY_TEXT ? input.recognise : input.extensions.includes(extension),
  );
}

/** By the extension from `readFileName`; null if it is unknown. */
function findFormat(extension: string): SourceFormat | null {
  if (Object.hasOwn(TABLES, extension)) return TABLES[extension as keyof typeof TABLES];
  for (const { input } of listKinds()) {
    const records = input.records?.[extension];
    if (records !== undefined) return records;
  }
  return listKindsWith(extension).length > 0 ? 'input' : null;
}

/** Treats `ligand.pdb.gz` as a `.pdb`: the extension is in lower case with its dot, the stem is without both. */
export function readFileName(file: string): { readonly stem: string; readonly extension: string } {
  const { name, ext, base } = path.parse(file.replace(/(?<=[^/])\.gz$/i, ''));
  // `.csv` is a file without an extension for Node, but one without a stem for the user.
  const isBare = ext === '' && base.startsWith('.');
  return { stem: isBare ? '' : name, extension: (isBare ? base : ext).toLowerCase() };
}

/** `plate2` before `plate10`, the same on every machine. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

function sortNaturally(names: readonly string[]): string[] {
  // The collator treats names that differ only in accents or width as equal; their order must be stable too.
  return [...names].sort((a, b) => COLLATOR.compare(a, b) || (a < b ? -1 : 1));
}

/** `ENOENT`, `EACCES`, …; null for anything else. A path with a NUL never exists. */
function readSystemErrorCode(error: unknown): string | null {
  if (hasErrno(error, 'ERR_INVALID_ARG_VALUE')) return 'ENOENT';
  return error instanceof Error && 'syscall' in error ? readErrno(error) : null;
}

/**
 * The user's problem for a failed access to a source; any error that the file or its disk did not cause is rethrown.
 */
export function createUnreadable(error: unknown): Finding {
  if (isZlibError(error)) {
    return createError(
      'MANIFEST_GZIP',
      `The gzip data are damaged (${error.message}).`,
      'Download the file again; `gzip -t` checks it.',
    );
  }
  const reason = readSystemErrorCode(error);
  if (reason === null) throw error;
  if (reason !== 'ENOENT' && reason !== 'ENOTDIR') return createNotReadable(reason);
  return createError(
    'MANIFEST_NOT_FOUND',
    'There is no such manifest.',
    'Check the path; it is relative to the current folder.',
  );
}

export async function digestFile(file: string): Promise<string> {
  return hash('sha256', await readFile(file));
}

/**
 * The default name of a campaign. From the first path, without extension: `library.smi.gz` is `library`; `batches/demo` and `batches/demo/manifest.csv`
 * are both `demo`. From a pattern, the folder before its first wildcard: `plates/*.csv` is `plates`.
 */
export function deriveCampaignName(paths: readonly string[]): string {
  const first = path.resolve(/^[^*?[{]*/.exec(paths[0] ?? '.')?.[0] ?? '.');
  const { stem, extension } = readFileName(first);
  const isKnown = findFormat(extension) !== null;
  const base = path.basename(first);
  // A folder may have a dot in its name: only known extensions are removed.
  const named = isKnown && stem !== '' ? stem : base;
  const isManifest = isKnown && stem.toLowerCase() === 'manifest';
  const chosen = isManifest ? path.basename(path.dirname(first)) : named;
  return nameFrom(chosen) || 'campaign';
}

/* The file of a row */

/** A whole BMRB entry has a few megabytes, a molecule of 200 atoms a few kilobytes. */
export const MAX_INPUT_BYTES = 16_000_000;

/**
 * Reads the file that a row names: it must be inside the manifest's folder, regular, not empty, not too large, UTF-8.
 * Gzip is decompressed.
 * @param folder that of the manifest, absolute and without symbolic links
 */
export async function readInputFile(
  value: string,
  folder: string,
  allowOutside: boolean,
): Promise<string | Finding> {
  const fail = (code: string, message: string, remedy: string): Finding =>
    createError(code, `${quote(value)} ${message}`, remedy, { column: 'file', value });
  const target = path.resolve(folder, value);
  // Before any disk access: a manifest must not reveal which files exist elsewhere.
  if (!allowOutside && !isInside(target, folder)) return createOutside(value);
  try {
    const real = await realpath(target);
    if (!allowOutside && !isInside(real, folder)) return createOutside(value);
    if (!(await stat(real)).isFile()) {
      const remedy = 'Use a regular file: a folder or a device cannot be an input.';
      return fail('MANIFEST_FILE_NOT_REGULAR', 'is not a regular file.', remedy);
    }
    const bytes = await unpack(await readLimited(real, MAX_INPUT_BYTES), MAX_INPUT_BYTES);
    if (!isUtf8(bytes)) {
      const message = `has bytes in line ${findBadLine(bytes).number} that are not UTF-8.`;
      return fail('MANIFEST_FILE_NOT_UTF8', message, SAVE_AS_UTF8);
    }
    // The engines fail on a byte order mark, and not all end a line at a CR.
    const text = withLineFeeds(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    if (text.trim() !== '') return text;
    return fail('MANIFEST_FILE_EMPTY', 'is empty.', 'Download or export the file again.');
  } catch (error) {
    if (error instanceof TooLarge) return createTooLarge(error.bytes, { column: 'file', value });
    const reason = isZlibError(error) ? `gzip: ${error.message}` : readSystemErrorCode(error);
    if (reason === null) throw error;
    if (reason === 'ENOENT' || reason === 'ENOTDIR') {
      return createError(
        'MANIFEST_FILE_NOT_FOUND',
        `There is no file ${quote(value)}.`,
        'Paths are relative to the folder of the manifest and use `/`; case matters.',
        { column: 'file', value },
      );
    }
    const remedy = 'Check the permissions of the file, and that its disk works.';
    return fail('MANIFEST_FILE_UNREADABLE', `cannot be read (${reason}).`, remedy);
  }
}

export function createTooLarge(bytes: number, where: { column: string; value: string }): Finding {
  return createError(
    'MANIFEST_FILE_TOO_LARGE',
    `${quote(where.value)} has ${Math.ceil(bytes / 1e6)} MB; an input may have up to ${MAX_INPUT_BYTES / 1e6} MB.`,
    'Keep only the one input that you mean.',
    where,
  );
}

/** Every line of what is sent ends with LF. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
