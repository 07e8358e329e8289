/** The kind of a row's input: as given by the user, else recognised from the input. */
import { KINDS, type Kind } from '../domain/item.ts';
import { ALL_KINDS } from '../kinds/registry.ts';
import { nearest } from './problems/nearest.ts';
import { complaint, type Complaint } from './problems/problems.ts';
import type { RowInput } from './row-input.ts';

export interface Judged {
  readonly kind: Kind | null;
  readonly complaints: readonly Complaint[];
}

/** The user's value of `kind`; null if the cell is empty. */
export function writtenKind(value: string): Judged | null {
  if (value === '') return null;
  const kind = KINDS.find((known) => known === value.toLowerCase());
  if (kind !== undefined) return { kind, complaints: [] };
  const suggestion = nearest(value, KINDS);
  const where = { column: 'kind', value };
  return { kind: null, complaints: [complaint('MANIFEST_KIND_UNKNOWN', { suggestion }, where)] };
}

export function inferKind(input: RowInput): Judged {
  const { column, extension, text } = input;
  const ofColumn = ALL_KINDS.find((kind) => kind.input.column?.name === column);
  if (ofColumn) return { kind: ofColumn.name, complaints: [] };
  const [first, ...others] = ALL_KINDS.filter((kind) => kind.input.extensions.includes(extension));
  if (!first) {
    return unclear(
      input,
      extension === '' ? 'the file has no extension' : `${extension} is unknown`,
    );
  }
  if (others.length === 0) return { kind: first.name, complaints: [] };
  if (text === null) return { kind: null, complaints: [] };
  let reason = `${extension} files may be of several kinds`;
  for (const { name, input: reader } of [first, ...others]) {
    const found = reader.recognise?.(text) ?? false;
    if (found === true) return { kind: name, complaints: [] };
    if (found !== false) reason = found;
  }
  return unclear(input, reason);
}

function unclear(input: RowInput, reason: string): Judged {
  // An unreadable file has its own problem.
  if (input.text === null) return { kind: null, complaints: [] };
  const where = { column: input.column, value: input.value };
  return { kind: null, complaints: [complaint('MANIFEST_KIND_UNCLEAR', { reason }, where)] };
}
