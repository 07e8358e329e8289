/**
 * Processes submissions: read, check, count against the rolling windows, create a job. The time stamp, the count and
 * the job are one transaction, so no window ever exceeds its limit. Refusals are free (contract of the prediction
 * service, 7) and are in the journal too.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyRequest } from 'fastify';
import type { Clock } from './clock.ts';
import type { ServiceName } from './contract.ts';
import type { Faults } from './faults.ts';
import { runInTransaction, type JobInput, type JobStore, type RequestType } from './jobs.ts';
import { hashToken, type Journal } from './journal.ts';
import type { Settings } from './options.ts';
import { Refusal } from './refusal.ts';

/** A submission being processed; `token` and `jobName` are filled in as soon as they are read, for the journal. */
export interface Draft {
  readonly service: ServiceName;
  readonly endpoint: RequestType;
  readonly address: string;
  token: string | null;
  jobName: string | null;
}

/** Of a request to a submit endpoint. */
export function createDraft({ routeOptions, ip: address }: FastifyRequest): Draft {
  const { service, requestType: endpoint } = routeOptions.config;
  if (service === undefined || endpoint === undefined) throw new Error('No submit endpoint.');
  return { service, endpoint, address, token: null, jobName: null };
}

/** Notes token and name of a body in its draft, whether it is accepted or not. */
export function noteSender(received: unknown, draft: Draft): void {
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
  readonly input: JobInput;
}

interface Accepted {
  readonly id: string;
  readonly taskId: string;
  /** X-RateLimit-Limit, -Remaining and -Reset (contract of the prediction service, 8); empty without a limit. */
  readonly headers: Readonly<Record<string, string>>;
}

type Parts = Omit<Services, 'admission'> & { readonly journal: Journal };

export class Admission {
  /** Set by the server: checks for waiting jobs. */
  onAccepted: () => void = () => undefined;
  readonly #database: DatabaseSync;
  readonly #parts: Parts;

  constructor(database: DatabaseSync, parts: Parts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** Accepts a submission. Throws a Refusal: whatever `read` throws, 409 for a used name, 429 at a limit. */
  async receive(
    draft: Draft,
    read: () => Promise<CheckedSubmission> | CheckedSubmission,
  ): Promise<Accepted> {
    try {
      const submission = await read();
      const accepted = runInTransaction(this.#database, () => this.#accept(draft, submission));
      if (accepted.lost) this.#parts.jobs.remove(accepted.id);
      this.onAccepted();
      return accepted;
    } catch (error) {
      // Fastify's own errors (a body too large, no JSON) have their own status.
      const { statusCode = 500 } = (error ?? {}) as { readonly statusCode?: number };
      this.turnAway(draft, error instanceof Refusal ? error.status : statusCode);
      throw error;
    }
  }

  /** Writes a submission that was not accepted into the journal. */
  turnAway(draft: Draft, status: number): void {
    this.#record(draft, { at: this.#parts.clock.now(), status, requestId: null });
  }

  #record(
    { token, ...draft }: Draft,
    end: { at: number; status: number; requestId: string | null },
  ): void {
    const owner = token === null ? null : hashToken(token);
    this.#parts.journal.record({ ...draft, ...end, accepted: end.requestId !== null, owner });
  }

  #accept(draft: Draft, submission: CheckedSubmission): Accepted & { readonly lost: boolean } {
    const { jobs, clock, faults, settings } = this.#parts;
    const { service, endpoint: requestType } = draft;
    const { token, uniqueName: jobName, input } = submission;
    const owner = hashToken(token);
    const at = clock.now();
    if (jobName !== null && jobs.hasName(service, owner, jobName)) {
      throw new Refusal(409, 'job_name is already used by another job of this token.');
    }
    const headers = this.#judgeWindows(draft, owner, at);
    const struck = faults.strike('acceptance', service, 'submit').next();
    const fault = struck.done === true ? null : struck.value.name;
    // The molecule service calls its identifier alphanumeric (2.2); the prediction service requires a UUID.
    const id = service === 'molecules' ? randomUUID().replaceAll('-', '') : randomUUID();
    const taskId = randomUUID();
    const timeLimitMs = settings.timeLimitSeconds * 1000;
    const job = { id, taskId, service, requestType, owner, jobName, fault, at, timeLimitMs };
    jobs.add({ ...job, input });
    this.#record({ ...draft, token }, { at, status: 200, requestId: id });
    return { id, taskId, headers, lost: fault === 'lose' };
  }

  /** Judges both windows, and returns the headers of the token's. */
  #judgeWindows({ service, address }: Draft, owner: string, at: number): Record<string, string> {
    const { windowMs, limit, moleculeLimit, addressLimit } = this.#parts.settings;
    const predicts = service === 'predictions';
    const judge = (column: 'owner' | 'address', value: string, most: number, whose: string) => {
      if (most === 0) return null;
      const judged = this.#parts.journal.judge(column, { service, value, at }, most, windowMs);
      if (judged.allowed) return judged;
      throw new Refusal(
        429,
        `More than ${String(most)} jobs in the rolling window ${whose}.`,
        { limit: most, remaining: 0, reset_after: judged.resetAfterSeconds },
        { 'Retry-After': String(judged.resetAfterSeconds) },
      );
    };
    const most = predicts ? limit : moleculeLimit;
    const verdict = judge('owner', owner, most, 'for this token');
    // The contract of the molecule service gives no ceiling for an address (8, not shown).
    if (predicts) judge('address', address, addressLimit, 'from this network address');
    if (verdict === null) return {};
    return {
      'X-RateLimit-Limit': String(most),
      'X-RateLimit-Remaining': String(verdict.remaining - 1),
      // The next slot is free when the first job leaves the window.
      'X-RateLimit-Reset': String(verdict.resetAfterSeconds || Math.ceil(windowMs / 1000)),
    };
  }
}

/** The parts of one running server that the handlers of both services share. */
export interface Services {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly jobs: JobStore;
  readonly admission: Admission;
  readonly faults: Faults;
}
