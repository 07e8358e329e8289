/**
 * From one raw row to an item, or to everything that stands against it.
 */
import path from 'node:path';
import type { CheckedRow, Item, Kind } from '../domain/item.ts';
import { isField } from './columns.ts';
import { readContent } from './content.ts';
import type { IdRegister } from './ids.ts';
import type { ProblemCode } from './facts.ts';
import { inferKind, writtenKind } from './kind.ts';
import { readOptions, type FieldValues } from './options.ts';
import { complaint, severityOf, toProblem, type Complaint } from './problems.ts';
import type { RawRow } from './raw-row.ts';
import type { ManifestFile } from './resolve.ts';
import { readInput } from './row-input.ts';

export interface RowContext {
  readonly manifest: ManifestFile;
  readonly ids: IdRegister;
  readonly allowOutside: boolean;
}

export async function checkRow(row: RawRow, context: RowContext): Promise<CheckedRow> {
  const source = { file: context.manifest.name, line: row.line };
  const { line, cells } = row;
  if (line === null || cells === null) {
    const problems = row.complaints.map((one) => toProblem(one, { ...source, id: null }));
    return { source, kind: null, item: null, problems };
  }
  const values: FieldValues = (field) => (cells[field] ?? '').trim();
  const place = { file: source.file, line };
  const id = nameRow(values, place, context.ids);
  const checked = row.complaints.some(({ code }) => SHIFTS_CELLS.has(code))
    ? UNCHECKED
    : await checkCells(values, id.id, context);
  const complaints = [...row.complaints, ...id.complaints, ...checked.complaints];
  const problems = complaints.map((one) => toProblem(one, { ...source, id: id.id }));
  const refused = complaints.some((one) => severityOf(one.code) === 'error');
  const { ready } = checked;
  const item: Item | null =
    refused || id.id === null || ready === null
      ? null
      : {
          id: id.id,
          kind: ready.options.kind,
          ...ready,
          email: values('email') || null,
          title: values('title') || null,
          source: place,
          row: cells,
          user: Object.fromEntries(Object.entries(cells).filter(([column]) => !isField(column))),
        };
  return { source, kind: checked.kind, item, problems };
}

function nameRow(values: FieldValues, place: { file: string; line: number }, ids: IdRegister) {
  const written = values('id');
  return written === ''
    ? { id: ids.make(values('file'), place), complaints: [] }
    : ids.claim(written, place);
}

/** With these the cells stand under the wrong columns, and every further word would only confuse. */
const SHIFTS_CELLS: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'MANIFEST_ROW_LONG',
  'MANIFEST_ROW_QUOTES',
]);

const UNCHECKED: CheckedCells = { kind: null, ready: null, complaints: [] };

interface CheckedCells {
  readonly kind: Kind | null;
  readonly ready: Pick<Item, 'options' | 'input'> | null;
  readonly complaints: readonly Complaint[];
}

/** Goes as far as it can, so that all that is wrong with a row is said at once. */
async function checkCells(
  values: FieldValues,
  id: string | null,
  { manifest, allowOutside }: RowContext,
): Promise<CheckedCells> {
  const complaints: Complaint[] = [...checkEmail(values('email'))];
  const read = await readInput(values, path.dirname(manifest.path), allowOutside);
  complaints.push(...read.complaints);
  const judged =
    writtenKind(values('kind')) ??
    (read.input === null ? { kind: null, complaints: [] } : inferKind(read.input));
  complaints.push(...judged.complaints);
  const { kind } = judged;
  if (kind === null) return { kind, ready: null, complaints };
  const { options, complaints: ofOptions } = readOptions(kind, values);
  complaints.push(...ofOptions);
  if (read.input === null) return { kind, ready: null, complaints };
  const content = readContent(read.input, options, id);
  complaints.push(...content.complaints);
  return { kind, ready: content.input && { options, input: content.input }, complaints };
}

function checkEmail(email: string): Complaint[] {
  return email === '' || /^[^\s@,;]+@[^\s@,;]+$/.test(email)
    ? []
    : [complaint('MANIFEST_EMAIL_INVALID', {}, { column: 'email', value: email })];
}
