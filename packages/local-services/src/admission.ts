/**
 * Processes submissions: read, check, count against the rolling windows, create a job. The time stamp, the count and
 * the job are one transaction, so no window ever exceeds its limit. Refusals are free (contract of the prediction
 * service, 7) and are in the journal too.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyRequest } from 'fastify';
import type { ServiceName } from './contract.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { JobInput, RequestType } from './job.ts';
import type { JobStore } from './jobs.ts';
import { ownerOf, type Journal } from './journal.ts';
import type { Settings } from './options.ts';
import { Refusal } from './refusal.ts';
import { inTransaction } from './schema.ts';

/** A submission being processed; `token` and `jobName` are filled in as soon as they are read, for the journal. */
export interface Draft {
  readonly service: ServiceName;
  readonly endpoint: RequestType;
  readonly address: string;
  token: string | null;
  jobName: string | null;
}

/** Of a request to a submit endpoint. */
export function newDraft({ routeOptions, ip: address }: FastifyRequest): Draft {
  const { service, requestType: endpoint } = routeOptions.config;
  if (service === undefined || endpoint === undefined) throw new Error('No submit endpoint.');
  return { service, endpoint, address, token: null, jobName: null };
}

/** Notes token and name of a body, whether it is accepted or not. */
export function note(received: unknown, draft: Draft): void {
  const body = (received ?? {}) as Readonly<Record<string, unknown>>;
  const name = body['job_name'] ?? body['file_name'];
  if (typeof body['token'] === 'string' && body['token'] !== '') draft.token = body['token'];
  if (typeof name === 'string' && name !== '') draft.jobName = name;
}

/** A submission that passed all checks except the limits. */
export interface CheckedSubmission {
  readonly token: string;
  /** Unique per token if the service has job names; null otherwise. */
  readonly uniqueName: string | null;
  /** Listed on the service's website. */
  readonly public: boolean;
  readonly input: JobInput;
}

interface Accepted {
  readonly id: string;
  readonly taskId: string;
  /** X-RateLimit-Limit, -Remaining and -Reset (contract of the prediction service, 8); empty without a limit. */
  readonly headers: Readonly<Record<string, string>>;
}

export class Admission {
  /** Set by the server: checks for waiting jobs. */
  onAccepted: (service: ServiceName) => void = () => undefined;
  readonly #database: DatabaseSync;
  readonly #jobs: JobStore;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #settings: Settings;

  constructor(
    database: DatabaseSync,
    parts: { jobs: JobStore; journal: Journal; clock: Clock; faults: Faults },
    settings: Settings,
  ) {
    this.#database = database;
    this.#jobs = parts.jobs;
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#faults = parts.faults;
    this.#settings = settings;
  }

  /**
   * Accepts a submission. Throws a Refusal: whatever `read` throws, 409 for a used name, 429 at a limit, 503 for a full
   * queue.
   */
  async receive(
    draft: Draft,
    read: () => Promise<CheckedSubmission> | CheckedSubmission,
  ): Promise<Accepted> {
    try {
      const submission = await read();
      const accepted = inTransaction(this.#database, () => this.#accept(draft, submission));
      if (accepted.lost) this.#jobs.remove(accepted.id);
      this.onAccepted(draft.service);
      return accepted;
    } catch (error) {
      this.turnedAway(draft, statusOf(error));
      throw error;
    }
  }

  /** Writes a submission that was not accepted into the journal. */
  turnedAway(draft: Draft, status: number): void {
    this.#record(draft, { at: this.#clock.now(), accepted: false, status, requestId: null });
  }

  #record(
    { token, ...draft }: Draft,
    end: { at: number; accepted: boolean; status: number; requestId: string | null },
  ): void {
    this.#journal.record({ ...draft, ...end, owner: token === null ? null : ownerOf(token) });
  }

  #accept(draft: Draft, submission: CheckedSubmission): Accepted & { readonly lost: boolean } {
    const { service } = draft;
    const { token, uniqueName: jobName, public: isPublic, input } = submission;
    const owner = ownerOf(token);
    const at = this.#clock.now();
    if (jobName !== null && this.#jobs.hasName(service, owner, jobName)) {
      throw new Refusal(409, 'job_name is already used by another job of this token.');
    }
    const headers = this.#judgeWindows(draft, owner, at);
    this.#judgeQueue(service, owner);
    const struck = this.#faults.strike('acceptance', service, 'submit').next();
    const fault = struck.done === true ? null : struck.value.name;
    // The molecule service calls its identifier alphanumeric (2.2); the prediction service requires a UUID.
    const id = service === 'molecules' ? randomUUID().replaceAll('-', '') : randomUUID();
    const taskId = randomUUID();
    this.#jobs.add({
      id,
      taskId,
      service,
      requestType: draft.endpoint,
      owner,
      jobName,
      fault,
      at,
      timeLimitMs: this.#settings.timeLimitMs,
      public: isPublic,
      input,
    });
    this.#record({ ...draft, token }, { at, accepted: true, status: 200, requestId: id });
    return { id, taskId, headers, lost: fault === 'lose' };
  }

  /** Judges both windows, and returns the headers of the token's. */
  #judgeWindows({ service, address }: Draft, owner: string, at: number): Record<string, string> {
    const { windowMs, limit, moleculeLimit, addressLimit } = this.#settings;
    const predicts = service === 'predictions';
    // The contract of the molecule service gives no ceiling for an address (8, not shown).
    const windows = [
      ['owner', owner, predicts ? limit : moleculeLimit, 'for this token'],
      ['address', address, predicts ? addressLimit : 0, 'from this network address'],
    ] as const;
    const [verdict] = windows.map(([column, value, most, whose]) => {
      const judged = this.#journal.judge(column, { service, value, at }, most, windowMs);
      if (judged.allowed) return judged;
      throw new Refusal(
        429,
        `More than ${String(most)} jobs in the rolling window ${whose}.`,
        { limit: most, remaining: 0, reset_after: judged.resetAfterSeconds },
        { 'Retry-After': String(judged.resetAfterSeconds) },
      );
    });
    if (verdict === undefined || verdict.limit === 0) return {};
    return {
      'X-RateLimit-Limit': String(verdict.limit),
      'X-RateLimit-Remaining': String(verdict.remaining - 1),
      // The next slot is free when the first job leaves the window.
      'X-RateLimit-Reset': String(verdict.resetAfterSeconds || Math.ceil(windowMs / 1000)),
    };
  }

  /**
   * 503, not 429: a full queue is unrelated to the window, and a client whose budget follows the 429 (limit, remaining,
   * reset_after) must not confuse the two. By definition nothing was done, so it may be retried.
   */
  #judgeQueue(service: ServiceName, owner: string): void {
    const most = this.#settings.maxQueued;
    if (most === 0 || this.#jobs.waitingOf(service, owner) < most) return;
    throw new Refusal(
      503,
      `${String(most)} jobs of this token already wait for a worker; try again when some have started.`,
      {},
      { 'Retry-After': String(this.#settings.retryAfterSeconds) },
    );
  }
}

/** Fastify's own errors (a body too large, no JSON) have their own status. */
function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  const { statusCode = 500 } = (error ?? {}) as { readonly statusCode?: number };
  return statusCode;
}
