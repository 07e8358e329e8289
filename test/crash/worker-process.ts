/** A worker in a separate process (`worker.ts`), from the side of the test. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { DiskState } from './hazards.ts';
import type { Order, Report, WorkerPlan } from './worker.ts';

const PROGRAM = join(import.meta.dirname, 'worker.ts');
/** Halves the start time of a worker; tests start some fifty. */
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'crash-workers');

export class WorkerProcess {
  /** Its signal, once it has ended. */
  readonly ended: Promise<NodeJS.Signals | null>;
  /** When it started work (ms since the epoch); rejects if it ends before. */
  readonly ready: Promise<number>;
  /** Its whole log. */
  log = '';
  readonly #child: ChildProcess;

  constructor(plan: WorkerPlan) {
    this.#child = fork(PROGRAM, [], {
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (_code, signal) => resolve(signal));
    });
    this.ready = Promise.race([
      this.#hear('ready').then(() => Date.now()),
      this.ended.then((signal) => {
        throw new Error(`the worker ended (${String(signal)}) before it was ready:\n${this.log}`);
      }),
    ]);
    this.ready.catch(() => undefined);
    this.#send({ type: 'start', plan });
  }

  /** As `kill -9`; returns when it has ended. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Sets the state of its disk; returns the number of writes refused so far. */
  async disk(state: DiskState): Promise<number> {
    const answer = this.#hear('disk');
    this.#send({ type: 'disk', state });
    const report = await answer;
    return report.type === 'disk' ? report.refused : 0;
  }

  #send(order: Order): void {
    this.#child.send(order);
  }

  #hear(type: Report['type']): Promise<Report> {
    return new Promise((resolve) => {
      const listen = (report: Report): void => {
        if (report.type !== type) return;
        this.#child.off('message', listen);
        resolve(report);
      };
      this.#child.on('message', listen);
    });
  }
}
