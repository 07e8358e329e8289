/**
 * Tables become bytes in a thread of their own, while this one reads the next results: each takes about half of the
 * time. Numbers go over without being copied.
 */
import { Worker } from 'node:worker_threads';
import { isList, type Column, type Slab } from './column.ts';
import type { Request } from './encoder-thread.ts';
import type { Encoded } from './encoder.ts';

interface Asked {
  readonly resolve: (encoded: Encoded) => void;
  readonly reject: (error: Error) => void;
}

export class Encoders {
  readonly #worker: Worker;
  /** In the order in which they were sent and come back. */
  readonly #asked: Asked[] = [];
  #lost: Error | null = null;

  /** @param tables the columns of each */
  constructor(tables: readonly (readonly Column[])[]) {
    // Node 22 announces on stderr that it strips types.
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    this.#worker = new Worker(new URL('./encoder-thread.ts', import.meta.url), {
      ...{ workerData: tables, execArgv },
    });
    this.#worker.on('message', (encoded: Encoded) => this.#asked.shift()?.resolve(encoded));
    this.#worker.on('error', (error: Error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread of the tables has ended')));
  }

  /** Of the rows so far, what is ready for the files; null: the rest. The slab's packed numbers are gone afterwards. */
  encode(table: number, slab: Slab | null): Promise<Encoded> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) {
        reject(this.#lost);
        return;
      }
      this.#asked.push({ resolve, reject });
      const request: Request = { table, slab };
      const numbers = (slab?.cells ?? []).flatMap((cell) =>
        isList(cell) && cell instanceof Float64Array ? [cell.buffer] : [],
      );
      this.#worker.postMessage(request, numbers);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #lose(error: Error): void {
    this.#lost ??= error;
    for (const { reject } of this.#asked.splice(0)) reject(this.#lost);
  }
}
