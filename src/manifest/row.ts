/** Converts a raw row to an item, or to all of its problems. */
import path from 'node:path';
import type { CheckedRow, Item, Kind, Options } from '../domain/item.ts';
import type { Chemist } from '../kinds/molecule/chemist.ts';
import { isField } from './columns.ts';
import { readContent, type Content } from './content.ts';
import { readFileName } from './sources/file-name.ts';
import type { IdRegister } from './ids.ts';
import type { ProblemCode } from './problems/facts.ts';
import { inferKind, writtenKind, type Judged } from './kind.ts';
import { readOptions, type FieldValues } from './options.ts';
import { complaint, severityOf, toProblem, type Complaint } from './problems/problems.ts';
import type { RawRow } from './raw-row.ts';
import { noteOfJob, readRemoteId } from './remote-id.ts';
import type { SourceFile } from './sources/source.ts';
import { readInput, type ReadInput } from './row-input.ts';

export interface RowContext {
  readonly manifest: Pick<SourceFile, 'name' | 'path'>;
  readonly ids: IdRegister;
  readonly allowOutside: boolean;
  readonly chemist: Chemist;
}

/** Only rows that wait (for files, chemistry) return a promise. Ids are assigned immediately, in call order. */
export function checkRow(row: RawRow, context: RowContext): CheckedRow | Promise<CheckedRow> {
  const source = { file: context.manifest.name, line: row.line };
  const { line, cells } = row;
  if (line === null || cells === null) {
    const problems = row.complaints.map((one) => toProblem(one, { ...source, id: null }));
    const id = line === null ? null : context.ids.make('', { file: source.file, line });
    return { source, id, row: null, kind: null, item: null, problems };
  }
  const values: FieldValues = (field) => (cells[field] ?? '').trim();
  const place = { file: source.file, line };
  const named = nameRow(row, values, place, context.ids);
  const finish = (checked: CheckedCells): CheckedRow =>
    checkedRow({ cells, place, named, complaints: row.complaints }, values, checked);
  if (row.complaints.some(({ code }) => SHIFTS_CELLS.has(code))) return finish(UNCHECKED);
  const checked = checkCells(row, values, named.id, context);
  return checked instanceof Promise ? checked.then(finish) : finish(checked);
}

interface NamedRow {
  readonly cells: Readonly<Record<string, string>>;
  readonly place: { readonly file: string; readonly line: number };
  readonly named: RowName;
  readonly complaints: readonly Complaint[];
}

function checkedRow(
  { cells, place, named, complaints: ofRow }: NamedRow,
  values: FieldValues,
  { kind, ready, complaints: ofCells }: CheckedCells,
): CheckedRow {
  const { id, shownId } = named;
  const complaints = [...ofRow, ...named.complaints, ...ofCells];
  const problems = complaints.map((one) => toProblem(one, { ...place, id: shownId }));
  const refused = complaints.some((one) => severityOf(one.code) === 'error');
  const row = { source: place, id, row: cells, kind, problems };
  if (refused || ready === null) return { ...row, item: null };
  const item: Item = {
    id,
    kind: ready.options.kind,
    ...ready,
    email: values('email') || null,
    title: values('title') || null,
    source: place,
    row: cells,
    user: ownColumns(cells),
  };
  return { ...row, item };
}

function ownColumns(cells: NamedRow['cells']): Record<string, string> {
  const own: Record<string, string> = {};
  for (const column of Object.keys(cells)) {
    const cell = cells[column] ?? '';
    // `own.__proto__ = …` would set the prototype.
    if (column === '__proto__') return Object.fromEntries(Object.entries(cells).filter(isOwn));
    if (!isField(column)) own[column] = cell;
  }
  return own;
}

function isOwn([column]: readonly [string, string]): boolean {
  return !isField(column);
}

function nameRow(
  { nameHint }: RawRow,
  values: FieldValues,
  place: { file: string; line: number },
  ids: IdRegister,
): RowName {
  const written = values('id');
  if (written === '') {
    const id = ids.make(nameHint ?? stemOf(values('file')), place);
    return { id, shownId: id, complaints: [] };
  }
  const { id: shownId, complaints } = ids.claim(written, place);
  const refused = complaints.some(({ code }) => severityOf(code) === 'error');
  const id = shownId === null || refused ? ids.make(written, place) : shownId;
  return { id, shownId, complaints };
}

interface RowName {
  /** Unique, even if the user's id is refused. */
  readonly id: string;
  /** The id in problems: as written, if valid. */
  readonly shownId: string | null;
  readonly complaints: readonly Complaint[];
}

function stemOf(file: string): string {
  return readFileName(file.replaceAll('\\', '/')).stem;
}

/** After these, the cells are in the wrong columns, and further problems would only confuse. */
const SHIFTS_CELLS: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'MANIFEST_ROW_LONG',
  'MANIFEST_ROW_QUOTES',
]);

const UNCHECKED: CheckedCells = { kind: null, ready: null, complaints: [] };

interface CheckedCells {
  readonly kind: Kind | null;
  readonly ready: Pick<Item, 'options' | 'input' | 'canonical' | 'adopts'> | null;
  readonly complaints: readonly Complaint[];
}

/** Checks as much as it can, so that all problems of a row are reported together. */
function checkCells(
  { carried }: RawRow,
  values: FieldValues,
  id: string | null,
  context: RowContext,
): CheckedCells | Promise<CheckedCells> {
  const folder = path.dirname(context.manifest.path);
  const read = readInput(values, carried, folder, context.allowOutside);
  const look = (found: ReadInput): CheckedCells | Promise<CheckedCells> =>
    checkInput(found, values, id, context);
  return read instanceof Promise ? read.then(look) : look(read);
}

function checkInput(
  read: ReadInput,
  values: FieldValues,
  id: string | null,
  { chemist }: RowContext,
): CheckedCells | Promise<CheckedCells> {
  const complaints: Complaint[] = [...checkEmail(values('email')), ...read.complaints];
  const judged = writtenKind(values('kind')) ?? kindOf(read, values);
  complaints.push(...judged.complaints);
  const { kind } = judged;
  const written = values('remote_id');
  const remoteId = written === '' ? null : readRemoteId(written, complaints);
  if (kind === null) return { kind, ready: null, complaints };
  const { options, complaints: ofOptions } = readOptions(kind, values);
  complaints.push(...ofOptions);
  if (read.input === null) return { kind, ready: unknownInput(options, remoteId), complaints };
  const adopts = remoteId === null ? {} : { adopts: { remoteId, inputKnown: true } };
  const finish = ({ input, canonical, complaints: found }: Content): CheckedCells => {
    const ready = input && { options, input, canonical, ...adopts };
    return { kind, ready, complaints: [...complaints, ...found] };
  };
  const content = readContent(read.input, options, id, chemist);
  return content instanceof Promise ? content.then(finish) : finish(content);
}

function kindOf({ input, complaints }: ReadInput, values: FieldValues): Judged {
  if (input !== null) return inferKind(input);
  // Problems of the input are already reported.
  if (complaints.length > 0) return { kind: null, complaints: [] };
  const reason = 'the row has a `remote_id` and no input';
  const where = { column: 'kind', value: values('kind') };
  return { kind: null, complaints: [complaint('MANIFEST_KIND_UNCLEAR', { reason }, where)] };
}

function unknownInput(options: Options, remoteId: string | null): CheckedCells['ready'] {
  if (remoteId === null) return null;
  const input = noteOfJob(options.kind, remoteId);
  return { options, input, canonical: '', adopts: { remoteId, inputKnown: false } };
}

function checkEmail(email: string): Complaint[] {
  return email === '' || /^[^\s@,;]+@[^\s@,;]+$/.test(email)
    ? []
    : [complaint('MANIFEST_EMAIL_INVALID', {}, { column: 'email', value: email })];
}
