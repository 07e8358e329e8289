/** A row of a campaign that says something else than when its job was asked for. */
import type { Item } from '../domain/item.ts';
import type { Problem } from '../domain/problem.ts';
import { maySucceed } from '../domain/states.ts';
import { FIELDS } from '../manifest/columns.ts';
import { complaint, toProblem } from '../manifest/problems/problems.ts';
import type { ItemRecord } from '../store/item-record.ts';

/** Not counted: they change nothing of what is computed. */
const BESIDE: readonly string[] = ['id', 'kind', 'email', 'title'];
/** Null where nothing stands against it. `same`: the job is the same, however it is written. */
export function changedRow(former: ItemRecord, item: Item, same: boolean): Problem | null {
  // What ended badly is of no use to anybody: the row has been mended.
  if (same || !maySucceed(former.state)) return null;
  const differs = FIELDS.filter((field) => !BESIDE.includes(field)).find(
    (field) => (former.row[field] ?? '').trim() !== (item.row[field] ?? '').trim(),
  );
  const column = differs ?? 'file';
  // The same cell, and another content of the file that it names.
  const was = differs ? (former.row[column] ?? '').trim() : `SHA-256 ${former.input.sha256}`;
  const is = differs ? (item.row[column] ?? '').trim() : 'another content';
  const place = `${former.source.file} line ${former.source.line}`;
  const facts = { column, was, is, place, state: former.state };
  const value = item.row[column] ?? null;
  const changed = complaint('MANIFEST_ROW_CHANGED', facts, { column, value });
  return toProblem(changed, { ...item.source, id: item.id });
}
