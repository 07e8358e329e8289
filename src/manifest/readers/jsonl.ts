/** JSONL: one JSON object per line. */
import { ColumnWatch } from '../columns.ts';
import type { RowReader } from '../raw-row.ts';
import { jsonRow } from './json-row.ts';
import { linesOf } from './lines.ts';

export const readJsonl: RowReader = async function* (text) {
  const columns = new ColumnWatch();
  for await (const lines of linesOf(text)) {
    yield lines
      .filter((line) => line.text.trim() !== '')
      .map((line) => jsonRow(line.text, line.number, columns));
  }
};
