/** Detects a row that changed after its job was submitted. */
import type { Item } from '../domain/item.ts';
import type { Problem } from '../domain/problem.ts';
import { maySucceed } from '../domain/states.ts';
import { FIELDS } from '../manifest/columns.ts';
import { complaint, toProblem } from '../manifest/problems/problems.ts';
import type { ItemRecord } from '../store/item-record.ts';

/** Not compared: they do not affect the result. */
const BESIDE: readonly string[] = ['id', 'kind', 'email', 'title'];
/** Null if there is no conflict. `same`: the job is the same, even if it is written differently. */
export function changedRow(former: ItemRecord, item: Item, same: boolean): Problem | null {
  // A failed result can be replaced: the user has corrected the row.
  if (same || !maySucceed(former.state)) return null;
  const differs = FIELDS.filter((field) => !BESIDE.includes(field)).find(
    (field) => (former.row[field] ?? '').trim() !== (item.row[field] ?? '').trim(),
  );
  const column = differs ?? 'file';
  // The same cell, but the file that it names has changed.
  const was = differs ? (former.row[column] ?? '').trim() : `SHA-256 ${former.input.sha256}`;
  const is = differs ? (item.row[column] ?? '').trim() : 'another content';
  const place = `${former.source.file} line ${former.source.line}`;
  const facts = { column, was, is, place, state: former.state };
  const value = item.row[column] ?? null;
  const changed = complaint('MANIFEST_ROW_CHANGED', facts, { column, value });
  return toProblem(changed, { ...item.source, id: item.id });
}
