/** The thread in which the tables of a campaign become bytes: each message is answered with what is ready. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Column, Slab } from './column.ts';
import { TableEncoder, type Encoded } from './encoder.ts';

/** By the place of the table in the list that the thread was started with. */
export interface Request {
  readonly table: number;
  /** Null when there are no more. */
  readonly slab: Slab | null;
}

const encoders = (workerData as readonly (readonly Column[])[]).map(
  (columns) => new TableEncoder(columns),
);

parentPort?.on('message', ({ table, slab }: Request) => {
  const encoder = encoders[table];
  if (encoder === undefined) throw new RangeError(`no table ${table}`);
  const encoded: Encoded = slab === null ? encoder.end() : encoder.add(slab);
  const own = [encoded.csv.buffer, encoded.parquet.buffer].filter(
    (buffer) => buffer.byteLength > 0,
  );
  parentPort?.postMessage(encoded, own);
});
