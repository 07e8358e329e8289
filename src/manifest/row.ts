/** One row of a manifest: its id, its input, its kind, its options, what its kind says of the input → an item, or problems. */
import path from 'node:path';
import type { CheckedRow, InputText, Item, Kind, Options } from '../domain/campaign.ts';
import { isUsableId } from '../domain/name.ts';
import { list, quote, suggestOr } from '../domain/plain-text.ts';
import { listKinds, listKindNames, findKind } from '../kinds/registry.ts';
import {
  type FieldValues,
  findNearest,
  isField,
  listInputFields,
  nameIn,
  readOptions,
} from './columns.ts';
import type { IdRegister } from './ids.ts';
import {
  createTooLarge,
  MAX_INPUT_BYTES,
  readInputFile,
  withLineFeeds,
  listKindsWith,
  readFileName,
  type SourceFile,
} from './sources.ts';
import { type Finding, createError } from '../kinds/kind.ts';
import { isError, toProblem } from './problems.ts';
import { findServiceOfKind } from '../services/registry.ts';

/** What the reader of a format gives, before values are checked. */
export interface RawRow {
  /** Where the row begins, from 1; null for a problem of the whole file. */
  readonly line: number | null;
  /** Column → value as the user wrote it; null if the row could not be read. */
  readonly cells: Readonly<Record<string, string>> | null;
  readonly findings: readonly Finding[];
  /** The row's name in the source, if it is not in a cell: the id is made from it. */
  readonly nameHint?: string;
  /** The input, if it is in the source itself but not in a cell: a record of an SD file. */
  readonly carried?: { readonly extension: string; readonly text: string };
}

/** A problem of the file. */
export function createFileRow(...findings: Finding[]): RawRow {
  return { line: null, cells: null, findings };
}

/** Facts about the file, for a reader that gets its text. */
export interface ReadFrom {
  /** The file name as the user sees it: `library.sdf.gz`. */
  readonly file: string;
  readonly stem: string;
  readonly extension: string;
}

export type RowReader = (text: string, from: ReadFrom) => Iterable<RawRow>;

/** Six weeks of work at 100 jobs an hour; more would be a tree, tables and a report that nobody can handle. */
export const MAX_ROWS = 100_000;

interface RowContext {
  readonly manifest: Pick<SourceFile, 'name' | 'path'>;
  readonly ids: IdRegister;
  readonly allowOutside: boolean;
}

/** After these, the cells are in the wrong columns, and further problems would only confuse. */
const MISALIGNS_COLUMNS: readonly string[] = ['MANIFEST_ROW_LONG', 'MANIFEST_ROW_QUOTES'];

/** Ids are assigned immediately, in call order. */
export async function checkRow(raw: RawRow, context: RowContext): Promise<CheckedRow> {
  const source = { file: context.manifest.name, line: raw.line };
  const { line, cells } = raw;
  if (line === null || cells === null) {
    const problems = raw.findings.map((one) => toProblem(one, { ...source, id: null }));
    const id = line === null ? null : context.ids.make('', { file: source.file, line });
    return { source, id, row: null, kind: null, item: null, problems };
  }
  const values: FieldValues = (field) => (cells[field] ?? '').trim();
  const place = { file: source.file, line };
  const { id, shownId, findings: ofId } = nameRow(raw, values, place, context.ids);
  const findings = [...raw.findings, ...ofId];
  const isShifted = raw.findings.some(({ code }) => MISALIGNS_COLUMNS.includes(code));
  const { kind, work } = isShifted
    ? { kind: null, work: null }
    : await readWork({ id, values, carried: raw.carried }, context, findings);
  const problems = findings.map((one) => toProblem(one, { ...place, id: shownId }));
  const row = { source: place, id, row: cells, kind, problems };
  if (work === null || findings.some(isError)) return { ...row, item: null };
  const item: Item = {
    id,
    kind: work.options.kind,
    ...work,
    email: values('email') || null,
    title: values('title') || null,
    source: place,
    row: cells,
    user: Object.fromEntries(Object.entries(cells).filter(([column]) => !isField(column))),
  };
  return { ...row, item };
}

/** `id` is unique, even if the user's own is refused; `shownId` is as written, if that is valid. */
function nameRow(
  { nameHint, cells }: RawRow,
  values: FieldValues,
  place: { file: string; line: number },
  ids: IdRegister,
): { id: string; shownId: string | null; findings: readonly Finding[] } {
  const written = values('id');
  if (written === '') {
    const stem = readFileName(values('file').replaceAll('\\', '/')).stem;
    const id = ids.make(nameHint ?? (nameIn(cells ?? {}) || stem), place);
    return { id, shownId: id, findings: [] };
  }
  const { id: shownId, findings } = ids.claim(written, place);
  const id = shownId === null || findings.some(isError) ? ids.make(written, place) : shownId;
  return { id, shownId, findings };
}

type Work = Pick<Item, 'options' | 'input' | 'canonical' | 'adopts'>;

interface RowInput {
  /** `file`, or the column of a kind. */
  readonly column: string;
  /** The cell, trimmed. */
  readonly value: string;
  /** Of the file, in lower case with its dot and without `.gz`; empty if the cell itself has the input. */
  readonly extension: string;
  /** Null if the file could not be read. */
  readonly text: string | null;
}

/** Checks as much as it can, so that all problems of a row are reported together. */
async function readWork(
  { id, values, carried }: { id: string; values: FieldValues; carried: RawRow['carried'] },
  context: RowContext,
  findings: Finding[],
): Promise<{ kind: Kind | null; work: Work | null }> {
  const email = values('email');
  if (email !== '' && !/^[^\s@,;]+@[^\s@,;]+$/.test(email)) {
    const invalid = createError(
      'MANIFEST_EMAIL_INVALID',
      `${quote(email)} is not an e-mail address.`,
      'Write one address like name@example.org, or leave the cell empty.',
      { column: 'email', value: email },
    );
    findings.push(invalid);
  }
  const before = findings.length;
  const input = await readInput(values, carried, context, findings);
  const hasProblem = findings.length > before;
  const kind = readKind(values('kind'), input, hasProblem, findings);
  const remoteId = readRemoteId(values('remote_id'), findings);
  if (kind === null) return { kind, work: null };
  const options = readOptions(kind, values, findings);
  if (input === null) {
    if (remoteId === null) return { kind, work: null };
    const adopts = { remoteId, inputKnown: false };
    return { kind, work: { options, input: noteOfJob(kind, remoteId), canonical: '', adopts } };
  }
  const content = await readContent(input, options, id, findings);
  if (content === null) return { kind, work: null };
  const adopts = remoteId === null ? {} : { adopts: { remoteId, inputKnown: true } };
  return { kind, work: { options, ...content, ...adopts } };
}

/** The single input of a row; null if it has none, or several. */
async function readInput(
  values: FieldValues,
  carried: RawRow['carried'],
  { manifest, allowOutside }: RowContext,
  findings: Finding[],
): Promise<RowInput | null> {
  const columns = listInputFields().filter((field) => values(field) !== '');
  const [column, other] = columns;
  if (column === undefined) {
    // The service already has the job's input.
    if (values('remote_id') !== '') return null;
    findings.push(createInputMissing(values('kind').toLowerCase()));
    return null;
  }
  if (other !== undefined) {
    const repeated = createError(
      'MANIFEST_INPUT_REPEATED',
      `The row has several inputs: ${list(columns)}.`,
      'Keep one of them; a row is one job.',
      { column: other, value: values(other) },
    );
    findings.push(repeated);
    return null;
  }
  const value = values(column);
  const inPlace = carried ?? (column === 'file' ? null : { extension: '', text: value });
  if (inPlace !== null) {
    const where = { column, value };
    const isTooLarge = inPlace.text.length > MAX_INPUT_BYTES;
    if (isTooLarge) findings.push(createTooLarge(inPlace.text.length, where));
    const text = isTooLarge ? null : withLineFeeds(inPlace.text);
    return { ...where, extension: inPlace.extension, text };
  }
  const read = await readInputFile(value, path.dirname(manifest.path), allowOutside);
  if (typeof read !== 'string') findings.push(read);
  const text = typeof read === 'string' ? read : null;
  return { column, value, extension: readFileName(value).extension, text };
}

/** @param kind as the user wrote it, in lower case; may be empty */
function createInputMissing(kind: string): Finding {
  const own = listKinds().find(({ name }) => name === kind)?.input.column?.name;
  const fields = own === undefined ? '`file`' : `\`${own}\` or \`file\``;
  return createError(
    'MANIFEST_INPUT_MISSING',
    'The row has no input.',
    kind === '' ? `Fill in one of ${list(listInputFields())}.` : `Fill in ${fields}.`,
    { column: own ?? 'file', value: '' },
  );
}

/** As given by the user, else recognised from the input. */
function readKind(
  written: string,
  input: RowInput | null,
  hasProblem: boolean,
  findings: Finding[],
): Kind | null {
  if (written !== '') {
    const names = listKindNames();
    const kind = names.find((known) => known === written.toLowerCase());
    if (kind !== undefined) return kind;
    const unknown = createError(
      'MANIFEST_KIND_UNKNOWN',
      `${quote(written)} is not a kind.`,
      suggestOr(findNearest(written, names), `Kinds are ${list(names)}.`),
      { column: 'kind', value: written },
    );
    findings.push(unknown);
    return null;
  }
  const found = input === null ? { reason: NO_INPUT } : inferKind(input);
  if ('kind' in found) return found.kind;
  // A problem of the input is already reported.
  if (!hasProblem) {
    const { column, value } = input ?? { column: 'kind', value: written };
    const unclear = createError(
      'MANIFEST_KIND_UNCLEAR',
      `The kind cannot be inferred from the input: ${found.reason}.`,
      `Set \`kind\` to one of ${list(listKindNames())}.`,
      { column, value },
    );
    findings.push(unclear);
  }
  return null;
}

const NO_INPUT = 'the row has a `remote_id` and no input';

function inferKind({ column, extension, text }: RowInput): { kind: Kind } | { reason: string } {
  const ofColumn = listKinds().find((kind) => kind.input.column?.name === column);
  if (ofColumn) return { kind: ofColumn.name };
  const able = listKindsWith(extension);
  const [first, other] = able;
  if (!first) {
    return { reason: extension === '' ? 'the file has no extension' : `${extension} is unknown` };
  }
  if (other === undefined && first.input.extensions.includes(extension))
    return { kind: first.name };
  let reason = `${extension} files may be of several kinds`;
  for (const { name, input: reader } of text === null ? [] : able) {
    const found = reader.recognise?.(text ?? '') ?? false;
    if (found === true) return { kind: name };
    if (found !== false) reason = found;
  }
  return { reason };
}

/** `remote_id`: a row's job that already exists at its service (docs/adopting.md). Null if there is none. */
function readRemoteId(value: string, findings: Finding[]): string | null {
  if (value === '') return null;
  if (isUsableId(value)) return value;
  const invalid = createError(
    'MANIFEST_REMOTE_ID_INVALID',
    `${quote(value)} cannot be the id of a job.`,
    'Write only the `request_id` or `hash_id`, without the rest of its URL: up to 200 letters, digits, dashes, dots, underscores and tildes.',
    { column: 'remote_id', value },
  );
  findings.push(invalid);
  return null;
}

/**
 * Stored in the item's folder in place of an unknown input. It contains the job's id, so that another job is another
 * item and equal notes never count as equal work.
 */
function noteOfJob(kind: Kind, remoteId: string): InputText {
  const where = `job ${remoteId} of the service for ${findServiceOfKind(kind).name}`;
  const text = `This item is ${where}. Its input was not given in the manifest.\n`;
  return { name: 'adopted.txt', text };
}

/** What the kind says of the input; null if it is invalid for the kind. */
async function readContent(
  { column, value, text, extension }: RowInput,
  options: Options,
  id: string,
  findings: Finding[],
): Promise<Pick<Item, 'input' | 'canonical'> | null> {
  const { kind } = options;
  const { column: cell, extensions, isByExtension = false, read } = findKind(kind).input;
  const where = { column, value };
  if (column !== 'file' && cell?.name !== column) {
    const owner = listKinds().find(({ input }) => input.column?.name === column)?.name;
    const other = createError(
      'MANIFEST_INPUT_OF_OTHER_KIND',
      `\`${column}\` is not an input of the kind \`${kind}\`.`,
      `Set \`kind\` to \`${owner ?? 'another kind'}\`, or use another input.`,
      where,
    );
    findings.push(other);
    return null;
  }
  if (text === null) return null;
  if (column === 'file' && isByExtension && !extensions.includes(extension)) {
    const wrongType = createError(
      'MANIFEST_FILE_TYPE',
      extension === ''
        ? `${quote(value)} has no extension, so its format is not known.`
        : `${quote(value)} ends in ${quote(extension)}, which is not an input of this kind.`,
      `Convert it to one of ${list(extensions)}.`,
      where,
    );
    findings.push(wrongType);
    return null;
  }
  const reading = await read({ id, column, text, extension }, options);
  findings.push(...keepFirstOfEach(reading.findings).map((one) => ({ ...where, ...one })));
  return reading.input && { input: reading.input, canonical: reading.canonical };
}

/** Limit for findings of one type per input: an alignment may have a thousand sequences. */
const MAX_OF_EACH = 3;

function keepFirstOfEach(findings: readonly Finding[]): readonly Finding[] {
  const counts = new Map<string, number>();
  return findings.filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= MAX_OF_EACH;
  });
}
