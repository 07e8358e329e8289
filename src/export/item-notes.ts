/** Notes on an item that apply to every export format. */
import { warningsOf } from '../store/item-warnings.ts';
import type { ExportItem } from './format.ts';

/** In sentences without the id. */
export function itemNotes({ record, reading }: ExportItem): readonly string[] {
  const notes = warningsOf(record).map(({ message }) => message);
  if (record.engine === 'synthetic') {
    notes.push('its result comes from the synthetic engine and has no scientific meaning');
  }
  const guessed =
    reading?.kind === 'molecule'
      ? reading.estimated.filter(({ needsRevision }) => needsRevision).map(({ types }) => types)
      : [];
  if (guessed.length > 0) {
    notes.push(
      `parameters were guessed and need revision (ATTN in its frcmod): ${guessed.join(', ')}`,
    );
  }
  return notes;
}
