/**
 * Aborts a request at its deadline, or when its caller does.
 *
 * Rejected: `AbortSignal.timeout` and `AbortSignal.any`. Node keeps such a signal, and everything that its listeners
 * refer to, until its time has passed: every download of the last five minutes stayed in memory.
 */
export class RequestSignal {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout | null;

  /** @param deadlineMs - from now; without one, only `sources` abort it */
  constructor(sources: readonly AbortSignal[], deadlineMs?: number) {
    this.#sources = sources;
    this.#timer = deadlineMs === undefined ? null : setTimeout(this.#expire, deadlineMs).unref();
    for (const source of sources) {
      if (source.aborted) this.#controller.abort(source.reason);
      source.addEventListener('abort', this.#follow, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Call it when the request has ended: it removes the timer and the listeners, so that the memory can be freed. */
  readonly release = (): void => {
    if (this.#timer) clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  };

  readonly #expire = (): void => {
    // The same error as that of `AbortSignal.timeout`.
    this.#controller.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  };

  readonly #follow = ({ target }: Event): void => {
    this.#controller.abort((target as AbortSignal).reason);
  };
}
