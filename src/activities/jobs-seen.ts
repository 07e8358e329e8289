/**
 * What this worker has seen of the jobs of its services, in memory: how long they ran, and which files they had. It only
 * decides when and how often a service is asked, so the first jobs of a new worker are asked for a few times more.
 *
 * Rejected: reading it from the items of the campaign, which costs more than those requests.
 */
import { performance } from 'node:perf_hooks';
import type { ArtefactName, Timing } from '../domain/outcomes.ts';
import { findKind } from '../kinds/registry.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';

const MAX_TIMES = 20;
/** Acceptances that are remembered; each is dropped at the end of its job. */
const MAX_RUNNING = 2_000;
/** A job may be shorter than all seen before, or may have ended long ago: it is not made to wait. */
const MAX_WAIT_MS = 60_000;
/**
 * Jobs of one kind rarely take exactly the same time. The shortest of them decides how long the next one is awaited, and
 * those that took up to a tenth more than it: with the shortest alone, most polls would be a few milliseconds too early.
 */
const SPREAD = 1.1;

export class JobsSeen {
  /** Activities that wait for the usual run time now. */
  waiting = 0;
  /** From the log of their service (ms). */
  readonly #times = new Map<string, number[]>();
  /** When this worker received the acceptance (ms, monotonic), in this order. */
  readonly #acceptedAt = new Map<string, number>();
  readonly #had = new Map<string, boolean>();

  /** The service has just accepted a job. */
  noteAccepted(remoteId: string): void {
    this.#acceptedAt.set(remoteId, performance.now());
    const [oldest] = this.#acceptedAt.keys();
    if (this.#acceptedAt.size > MAX_RUNNING && oldest !== undefined)
      this.#acceptedAt.delete(oldest);
  }

  /**
   * How long a job has run (ms): since its acceptance, if this worker has submitted it. Its activity begins later.
   *
   * @param ageMs since the begin of its activity
   */
  runningMs({ remoteId }: RemoteJob, ageMs: number): number {
    const acceptedAt = this.#acceptedAt.get(remoteId);
    return acceptedAt === undefined ? ageMs : Math.max(ageMs, performance.now() - acceptedAt);
  }

  /** Adds the times in the log of an ended job. */
  noteTiming(job: RemoteJob, { queuedAt, startedAt, finishedAt }: Timing): void {
    // A job that found a worker free has no time in the queue.
    const tookMs = Date.parse(finishedAt ?? '') - Date.parse(queuedAt ?? startedAt ?? '');
    if (!(tookMs >= 0)) return;
    this.#acceptedAt.delete(job.remoteId);
    const times = this.#times.get(buildKey(job)) ?? [];
    this.#times.set(buildKey(job), [...times.slice(1 - MAX_TIMES), tookMs]);
  }

  /**
   * After how long the next job may have ended, in ms; null when nothing is known. Its first poll waits that long: one that
   * is too early costs a request, and then the service's whole Retry-After until the next one is allowed.
   */
  likelyMs(job: RemoteJob): number | null {
    const times = this.#times.get(buildKey(job)) ?? [];
    if (times.length === 0) return null;
    const most = SPREAD * Math.min(...times);
    return Math.min(MAX_WAIT_MS, Math.max(...times.filter((ms) => ms <= most)));
  }

  /**
   * Whether other jobs had a file; null if nothing is known. The contract does not say which job has which file, so a 404
   * may pass, or be final: what another job of the kind had is asked for with the patience of other 404s; what the last
   * job did not have, and none before it, only once.
   */
  hadFile(job: RemoteJob, artefact: ArtefactName): boolean | null {
    const isOptional = findKind(job.item.kind).artefacts[artefact]?.presence === 'optional';
    return this.#had.get(`${buildKey(job)} ${artefact}`) ?? (isOptional ? false : null);
  }

  noteFile(job: RemoteJob, artefact: ArtefactName, isThere: boolean): void {
    const key = `${buildKey(job)} ${artefact}`;
    // Once a job had it, a job without it is an exception.
    if (isThere || !this.#had.has(key)) this.#had.set(key, isThere);
  }
}

function buildKey({ item, reference }: RemoteJob): string {
  return `${reference.service} ${reference.address} ${item.kind}`;
}
