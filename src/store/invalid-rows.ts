/**
 * Rows of the manifest that were refused and skipped (`--skip-invalid`): they have no folder and no job, but are listed
 * in items.csv and failed.csv (promise 3).
 */
import { z } from 'zod';
import { WORK_AREA } from './layout.ts';
import type { Store } from './store.ts';

const INVALID_ROWS = `${WORK_AREA}invalid.jsonl`;

const onDisk = z.object({
  id: z.string(),
  /** Null when unknown. */
  kind: z.string().nullable(),
  source: z.object({ file: z.string(), line: z.int() }),
  /** As the user wrote it; empty when it could not be read. */
  row: z.custom<Readonly<Record<string, string>>>((row) => typeof row === 'object' && row !== null),
  /** Its first error. */
  code: z.string(),
  message: z.string(),
});
export type InvalidRow = Readonly<z.output<typeof onDisk>>;

/** Replaces those of an earlier run. */
export async function writeInvalidRows(
  store: Store,
  rows: AsyncIterable<InvalidRow>,
): Promise<void> {
  const { bytes } = await store.write(INVALID_ROWS, formatLines(rows));
  if (bytes === 0) await store.remove(INVALID_ROWS);
}

async function* formatLines(rows: AsyncIterable<InvalidRow>): AsyncGenerator<Uint8Array> {
  for await (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}

export async function countInvalidRows(store: Store): Promise<number> {
  let count = 0;
  for await (const _ of readInvalidRows(store)) count += 1;
  return count;
}

export async function* readInvalidRows(store: Store): AsyncGenerator<InvalidRow> {
  if (!(await store.exists(INVALID_ROWS))) return;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of store.readStream(INVALID_ROWS)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield onDisk.parse(JSON.parse(line));
  }
}
