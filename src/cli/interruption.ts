/**
 * The first Ctrl-C (or SIGTERM, or a closed terminal) stops a command cleanly; the second exits immediately. Created
 * before anything is started: a signal during the start of the server would leave it running.
 */
import { EXIT } from '../domain/errors.ts';
import { say } from './terminal.ts';

/** npm forwards Ctrl-C to a command that also got it from the terminal: two so close together count as one. */
const ONE_PRESS_MS = 500;

export class Interruption {
  readonly #controller = new AbortController();
  /** Aborted by the first signal. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Resolves when the first signal comes. */
  readonly request: Promise<void>;
  /** Runs immediately: the live view must leave the terminal before anything is printed. */
  beforeWords: () => void = () => undefined;
  readonly #submits: boolean;
  #at: number | null = null;

  /** @param submits - false: the command only reads, so there is nothing to finish */
  constructor({ submits = true } = {}) {
    this.#submits = submits;
    this.request = new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(signal, () => this.#signalled(signal, resolve));
      }
    });
  }

  requested(): boolean {
    return this.#at !== null;
  }

  #signalled(signal: NodeJS.Signals, resolve: () => void): void {
    if (this.#at === null) {
      this.#at = Date.now();
      this.beforeWords();
      const what = this.#submits ? 'Stopping: finishing submissions in progress.' : 'Stopping.';
      say(`${what} Press Ctrl-C again to stop at once.`);
      this.#controller.abort();
      resolve();
      return;
    }
    // A closed terminal signals all its processes, some of them twice.
    if (signal === 'SIGHUP' || Date.now() - this.#at < ONE_PRESS_MS) return;
    const lookedUp = ' A submission that was in progress is looked up before it is sent again.';
    say(`Stopped at once.${this.#submits ? lookedUp : ''}`);
    process.exit(EXIT.interrupted);
  }
}

/** For a command that serves until it is stopped: once is enough. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal));
  });
}
