/**
 * Submissions to one service that were granted but not yet written: they wait for a free connection, or for their turn
 * in the worker. When one fails in a way that shows that the service is down, all that were granted before are sent
 * back: their fate is known, and an outage affects a handful of submissions instead of a hundred.
 */
import { isAnswered, refusesUs } from './answers.ts';
import type { HttpAnswer, HttpFailure } from './body.ts';
import { failureWords } from './connection.ts';

/** Code of a submission that was sent back. */
const UNWELL = 'UNWELL';
/** Code of a submission that another worker may have sent meanwhile. */
const NOT_OURS = 'NOT_OURS';

/** Code of a submission whose connection came too late. */
export const TOO_LATE = 'TOO_LATE';

/** Code of a submission for which no connection became free in time. */
const BUSY = 'BUSY';
/** Milliseconds. Together with the deadline of the POST, it must fit into the activity's 45 s. */
const LONGEST_WAIT_MS = 10_000;

class SentBack extends Error {
  readonly code = UNWELL;
}

/** When a submission was allowed to be sent, and what the budget knew then. */
export interface Permission {
  /** ms since the epoch */
  readonly at: number;
  /** Its number among all that the budget granted. */
  readonly number: number;
  /** The budget knew of failures of submissions up to this number. */
  readonly failuresKnownTo: number;
  /** The budget knows of the failure: this submission tests whether it is over. */
  readonly probe?: boolean | undefined;
}

interface Submission {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly permission?: Permission | undefined;
  /** Called once it has its own connection; false: it must not be sent. */
  readonly beforeSending?: (() => Promise<boolean>) | undefined;
}

export class SubmissionLine {
  readonly #under = new Set<AbortController>();
  /** When the service was last found to be down (ms since the epoch). */
  #unwellAt = 0;
  /**
   * The number of the newest submission that showed this; 0 after a later one got a proper answer. Times alone do not
   * show whether the budget knew of the failure: on a busy machine it is notified seconds later.
   */
  #failed = 0;
  /** Idle connections. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param connections maximum concurrent submissions: none waits for a connection once recorded as sent */
  constructor(connections: number) {
    this.#free = connections;
  }

  /** Passes one submission on; its signal makes it return if no byte of it was written yet. */
  async pass(
    submission: Submission,
    send: (sentBack: AbortSignal) => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    const own = new AbortController();
    if (this.#isTooOld(submission.permission)) own.abort(new SentBack());
    this.#under.add(own);
    const given = AbortSignal.any([own.signal, submission.signal]);
    const place = await this.#place(given);
    try {
      if (place && !given.aborted && (await submission.beforeSending?.()) === false)
        return unreached(submission, NOT_OURS);
      if (!place && !given.aborted) return unreached(submission, BUSY);
      // Otherwise it was sent back or abandoned: `send` returns which, before it writes a byte.
      const failed = this.#failed;
      const answer = await send(own.signal);
      if (showsUnwell(answer)) this.#sendBack(submission.permission);
      // Reset: a new budget counts from 1, and would not know of failures with the numbers of the former one.
      else if (isAnswered(answer) && failed === this.#failed) this.#failed = 0;
      return answer;
    } finally {
      this.#under.delete(own);
      if (place) this.#leave();
    }
  }

  /** False if it was abandoned before a connection was free. */
  async #place(given: AbortSignal): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const take = (): void => resolve(true);
    const give = (): void => {
      const at = this.#waiting.indexOf(take);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      resolve(false);
    };
    this.#waiting.push(take);
    given.addEventListener('abort', give, { once: true });
    const patience = setTimeout(give, LONGEST_WAIT_MS);
    if (given.aborted) give();
    return promise.finally(() => {
      clearTimeout(patience);
      given.removeEventListener('abort', give);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  #isTooOld(permission: Permission | undefined): boolean {
    if (!permission || permission.probe === true) return false;
    const { at, failuresKnownTo } = permission;
    return at < this.#unwellAt || failuresKnownTo < this.#failed;
  }

  #sendBack({ number = 0 }: Partial<Permission> = {}): void {
    this.#unwellAt = Date.now();
    this.#failed = Math.max(this.#failed, number);
    for (const waiting of this.#under) waiting.abort(new SentBack());
  }
}

function unreached({ url }: Submission, code: string): HttpAnswer {
  const message = `POST ${url.origin}${url.pathname}: ${failureWords(code)}`;
  return { type: 'unreached', code, message };
}

function showsUnwell(answer: HttpAnswer): boolean {
  if (answer.type === 'answered')
    return answer.status >= 500 || answer.status === 429 || refusesUs(answer);
  // If we aborted it ourselves, it says nothing about the service.
  return !['ABORTED', UNWELL, NOT_OURS, TOO_LATE, BUSY].includes(answer.code);
}

/** Whether a submission was not sent because another one had failed. */
export function isSentBack({ code }: Pick<HttpFailure, 'code'>): boolean {
  return code === UNWELL;
}
