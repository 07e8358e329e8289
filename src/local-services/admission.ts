/**
 * Processes submissions: read, check, count against the rolling windows, create a job. The time stamp, the count and
 * the job are one transaction, so no window ever exceeds its limit. Refusals are free (contract of the prediction
 * service, 7) and are in the journal too.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ServiceName } from '../domain/item.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { JobInput, RequestType } from './job.ts';
import type { JobStore } from './jobs.ts';
import { ownerOf, type Journal } from './journal.ts';
import type { Settings } from './options.ts';
import { judge, type RateLimit, type Verdict } from './rate-limit.ts';
import { Refusal } from './refusal.ts';
import { inTransaction } from './schema.ts';

/** A submission being processed; `token` and `jobName` are filled in as soon as they are read, for the journal. */
export interface Draft {
  readonly service: ServiceName;
  readonly requestType: RequestType;
  readonly address: string;
  token: string | null;
  jobName: string | null;
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
  readonly #tokenLimits: Readonly<Record<ServiceName, RateLimit>>;
  readonly #addressLimits: Readonly<Record<ServiceName, RateLimit>>;

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
    const { windowMs, limit, moleculeLimit, addressLimit } = settings;
    this.#tokenLimits = {
      predictions: { limit, windowMs },
      molecules: { limit: moleculeLimit, windowMs },
    };
    // The contract of the molecule service gives no ceiling (8, not shown).
    this.#addressLimits = {
      predictions: { limit: addressLimit, windowMs },
      molecules: { limit: 0, windowMs },
    };
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
      this.turnedAway(draft, error instanceof Refusal ? error.status : statusOf(error));
      throw error;
    }
  }

  /** Writes a submission that was not accepted into the journal. */
  turnedAway(draft: Draft, status: number): void {
    this.#journal.record({
      service: draft.service,
      endpoint: draft.requestType,
      at: this.#clock.now(),
      owner: draft.token === null ? null : ownerOf(draft.token),
      address: draft.address,
      jobName: draft.jobName,
      accepted: false,
      status,
      requestId: null,
    });
  }

  #accept(draft: Draft, submission: CheckedSubmission): Accepted & { readonly lost: boolean } {
    const { service, requestType, address } = draft;
    const owner = ownerOf(submission.token);
    const at = this.#clock.now();
    const name = submission.uniqueName;
    if (name !== null && this.#jobs.hasName(service, owner, name)) {
      throw new Refusal(409, 'job_name is already used by another job of this token.');
    }
    const verdict = this.#judgeToken(service, owner, at);
    this.#judgeAddress(service, address, at);
    this.#judgeQueue(service, owner);
    const struck = this.#faults.strike('acceptance', service, 'submit').next();
    const fault = struck.done === true ? undefined : struck.value.name;
    // The molecule service calls its identifier alphanumeric (2.2); the prediction service requires a UUID.
    const id = service === 'molecules' ? randomUUID().replaceAll('-', '') : randomUUID();
    const taskId = randomUUID();
    this.#jobs.add({
      id,
      taskId,
      service,
      requestType,
      owner,
      jobName: name,
      fault: fault ?? null,
      at,
      timeLimitMs: this.#settings.timeLimitMs,
      public: submission.public,
      input: submission.input,
    });
    this.#journal.record({
      service,
      endpoint: requestType,
      at,
      owner,
      address,
      jobName: draft.jobName,
      accepted: true,
      status: 200,
      requestId: id,
    });
    return { id, taskId, headers: this.#headers(service, verdict), lost: fault === 'lose' };
  }

  #judgeToken(service: ServiceName, owner: string, at: number): Verdict {
    const limit = this.#tokenLimits[service];
    const verdict = judge(limit, this.#journal.windowOf('owner', service, owner, limit, at), at);
    if (!verdict.allowed) throw tooMany('for this token', verdict);
    return verdict;
  }

  #judgeAddress(service: ServiceName, address: string, at: number): void {
    const limit = this.#addressLimits[service];
    const verdict = judge(
      limit,
      this.#journal.windowOf('address', service, address, limit, at),
      at,
    );
    if (!verdict.allowed) throw tooMany('from this network address', verdict);
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

  #headers(service: ServiceName, verdict: Verdict): Record<string, string> {
    if (verdict.limit === 0) return {};
    const windowSeconds = Math.ceil(this.#tokenLimits[service].windowMs / 1000);
    return {
      'X-RateLimit-Limit': String(verdict.limit),
      'X-RateLimit-Remaining': String(verdict.remaining - 1),
      // The next slot is free when the first job leaves the window.
      'X-RateLimit-Reset': String(
        verdict.resetAfterSeconds === 0 ? windowSeconds : verdict.resetAfterSeconds,
      ),
    };
  }
}

function tooMany(whose: string, verdict: Verdict): Refusal {
  return new Refusal(
    429,
    `More than ${String(verdict.limit)} jobs in the rolling window ${whose}.`,
    { limit: verdict.limit, remaining: 0, reset_after: verdict.resetAfterSeconds },
    { 'Retry-After': String(verdict.resetAfterSeconds) },
  );
}

/** Fastify's own errors (a body too large, no JSON) have their own status. */
function statusOf(error: unknown): number {
  return typeof error === 'object' &&
    error !== null &&
    'statusCode' in error &&
    typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;
}
