/** A file that is itself an input: one item. */
import path from 'node:path';
import { readInputFile } from '../sources/input-file.ts';
import type { RawRow, ReadFrom } from '../raw-row.ts';

/** `file`: its path without symbolic links. The user named it, so it may be anywhere. */
export async function readInputRow(file: string, from: ReadFrom): Promise<RawRow> {
  const read = await readInputFile(path.basename(file), path.dirname(file), true);
  const row = { line: 1, nameHint: from.stem };
  if (read.type === 'refused') {
    const shown = { ...read.complaint, value: from.file };
    return { ...row, cells: null, complaints: [shown] };
  }
  const carried = { extension: from.extension, text: read.text };
  return { ...row, cells: { file: from.file }, complaints: [], carried };
}
