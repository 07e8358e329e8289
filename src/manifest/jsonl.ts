/**
 * JSONL: one JSON object a line.
 */
import { ColumnWatch } from './columns.ts';
import { jsonRow } from './json-row.ts';
import type { RowReader } from './raw-row.ts';

export const readJsonl: RowReader = async function* (text) {
  const columns = new ColumnWatch();
  let line = 1;
  let unfinished = '';
  for await (const piece of text) {
    const lines = (unfinished + piece).split(/\r\n|\n|\r/);
    unfinished = lines.pop() ?? '';
    for (const content of lines) {
      if (content.trim() !== '') yield jsonRow(content, line, columns);
      line += 1;
    }
  }
  if (unfinished.trim() !== '') yield jsonRow(unfinished, line, columns);
};
