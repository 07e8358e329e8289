/**
 * The first Ctrl-C (or SIGTERM, or the terminal that is closed) asks a command to stop in order; the second
 * leaves at once. Made before anything is started: a signal that came while the server starts would leave it behind.
 */
import { EXIT } from '../../domain/errors.ts';
import { say } from '../text/explain.ts';

/** npm passes a Ctrl-C on to a command that the terminal has told already: two so close together are one. */
const ONE_PRESS_MS = 500;

export class Interruption {
  readonly #controller = new AbortController();
  /** Aborted by the first signal. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Resolves when the first signal comes. */
  readonly request: Promise<void>;
  /** What to do at once: the live view must leave the terminal before anything is said. */
  beforeWords: () => void = () => undefined;
  #at: number | null = null;

  constructor() {
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
      say('Stopping: finishing submissions in progress. Press Ctrl-C again to stop at once.');
      this.#controller.abort();
      resolve();
      return;
    }
    // A terminal that is closed tells everybody in it, some of us twice.
    if (signal === 'SIGHUP' || Date.now() - this.#at < ONE_PRESS_MS) return;
    say('Stopped at once. A submission that was in progress is looked up before it is sent again.');
    process.exit(EXIT.interrupted);
  }
}
