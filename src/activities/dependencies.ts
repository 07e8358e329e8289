/** What the activities need from outside, provided by a worker or a test. */
import type { CredentialLeases, Trees } from './leases.ts';
import type { Client } from '@temporalio/client';
import type { BudgetConfiguration } from '../budget/state.ts';
import type { NotifySettings } from '../config/settings.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import type { ArtefactName, Timing } from '../domain/outcomes.ts';
import { findKind } from '../kinds/registry.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';
import type { publishCampaign } from '../report/publish.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type SteadyClock } from '../ledger/steady-clock.ts';
import type { ServiceClient } from '../services/client.ts';
import type { PollPace } from '../services/polling.ts';
import type { Fence } from './gates.ts';

/** A service as this worker knows it. */
export interface KnownService {
  readonly reference: ServiceReference;
  readonly client: ServiceClient;
  readonly pace: PollPace;
  readonly budget: BudgetConfiguration;
  /** Its address in the ledger of this machine. */
  readonly ledgerAddress: string;
}

export interface Dependencies extends Trees {
  /** null when this worker has no such service or credential: another worker may. */
  readonly serviceOf: (reference: ServiceReference) => KnownService | null;
  /**
   * The same service with the token that is configured now, for jobs of the one before, and for rows that wait for that
   * one. Only if no two users share a Temporal.
   */
  readonly successorOf: (reference: ServiceReference) => KnownService | null;
  /** Whether another Temporal uses a token; without it nothing is checked. */
  readonly tokens?: Pick<CredentialLeases, 'check'>;
  readonly publishCampaign: typeof publishCampaign;
  readonly jobsSeen: JobsSeen;
  readonly fence: Pick<Fence, 'pass' | 'isAwaited'>;
  readonly steadyClock: SteadyClock;
  /** The last gate before a POST (gates.ts). */
  readonly ledger: Ledger;
  /** Who is notified of the end of a campaign. */
  readonly notify: NotifySettings | null;
  readonly temporal: Client;
  /**
   * The same over the connection of this worker: the server may hand the first task of a workflow that is started with it
   * to this worker at once.
   */
  readonly starter: Client;
  readonly taskQueue: string;
  /** Versions for campaign.json: `hundredfold`, `node`, … */
  readonly versions: Readonly<Record<string, string>>;
}

/** A job may be shorter than those before, or may have ended long ago: it is not made to wait longer (ms). */
const MAX_LIKELY_MS = 60_000;
/** Jobs of one kind rarely take exactly the same time: one that takes longer raises what is expected by this, at most. */
const GROWTH = 1.1;
/** A job that took no time at all must not be the measure of all that follow (ms). */
const MIN_LIKELY_MS = 1_000;

/**
 * How long the jobs of its services ran and which files they had, in memory: it only decides when and how often a service
 * is asked, so the first jobs of a new worker are asked for a few times more.
 */
export class JobsSeen {
  /** From the log of their service (ms). */
  readonly #likely = new Map<string, number>();
  readonly #had = new Map<string, boolean>();

  /** Adds the times in the log of an ended job. */
  noteTiming(job: RemoteJob, { queuedAt, startedAt, finishedAt }: Timing): void {
    // A job that found a worker free has no time in the queue.
    const tookMs = Date.parse(finishedAt ?? '') - Date.parse(queuedAt ?? startedAt ?? '');
    if (!(tookMs >= 0)) return;
    const key = buildKey(job);
    const most = GROWTH * (this.#likely.get(key) ?? tookMs);
    this.#likely.set(key, Math.min(tookMs, Math.max(MIN_LIKELY_MS, most)));
  }

  /**
   * After how long the next job may have ended, in ms; 0 when nothing is known. Its first poll waits that long: one that is
   * too early costs a request, and then the service's whole Retry-After until the next one is allowed.
   */
  likelyMs(job: RemoteJob): number {
    return Math.min(MAX_LIKELY_MS, this.#likely.get(buildKey(job)) ?? 0);
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
