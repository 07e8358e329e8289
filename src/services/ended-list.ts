/**
 * Finds out which jobs of our token have ended from the list of past results: one request answers for all jobs of a
 * kind (contract of the prediction service, 4.7; each entry has the timing block, 2.4). Used when polling each job
 * would take long.
 */
import type { Kind } from '../domain/item.ts';
import type { PastJob } from '../domain/outcomes.ts';
import type { RequestOptions, ServiceClient } from './client.ts';

/** It is requested for at most this share of the time. */
const SHARE_OF_TIME = 0.1;
/** If a service has no such list, it is not requested again for this long (ms). */
const UNSUPPORTED_MS = 3_600_000;
/** A job that nobody asked about for this long (ms) was cancelled, or another worker polls it. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;

/** `unknown`: the list does not say, and the job itself must be polled. */
type Verdict = 'unfinished' | 'finished' | 'unknown';

type Answer =
  | { readonly verdict: 'finished' | 'unknown' }
  /** `newer`: the job is newer than the list, or the list was read for other jobs. */
  | { readonly verdict: 'unfinished' | 'newer'; readonly list: ListAge };

interface ListAge {
  /** Since it was requested (ms). */
  readonly ageMs: number;
  /** Until it may be requested again (ms). */
  readonly nextMs: number;
}

interface Wanted {
  /** A list up to this age (ms) is sufficient. */
  readonly freshMs: number;
  /** A list from before this time (ms) may lack the job; null if the time is not known. */
  readonly knownSince: number | null;
}

interface Listed {
  readonly at: number;
  /** False if the service has no such list, or did not send it. */
  readonly isListed: boolean;
  /** When it may be requested again (ms). */
  readonly nextAt: number;
  /**
   * The jobs that it was read for: it may have tens of thousands of others, and the newest often come first. null: for
   * all.
   */
  readonly asked: ReadonlySet<string> | null;
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export class EndedList {
  readonly #list: ServiceClient['list'];
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #known = new Map<Kind, Listed>();
  readonly #asking = new Map<Kind, Promise<Listed>>();
  /** By kind: the jobs that the next list is read for, and when each was last asked about (ms). */
  readonly #awaited = new Map<Kind, Map<string, number>>();

  /**
   * @param everyMs the list of a kind is requested at most this often (ms)
   * @param now monotonic, ms
   */
  constructor(list: ServiceClient['list'], everyMs: number, now: () => number) {
    this.#list = list;
    this.#everyMs = everyMs;
    this.#now = now;
  }

  async verdict(
    kind: Kind,
    remoteId: string,
    { freshMs, knownSince }: Wanted,
    options: RequestOptions,
  ): Promise<Answer> {
    const awaited = this.#awaitedOf(kind);
    const now = this.#now();
    awaited.set(remoteId, now);
    const known = this.#known.get(kind);
    const isFresh = known !== undefined && (now < known.nextAt || now - known.at < freshMs);
    const listed = isFresh ? known : await this.#askOnce(kind, options);
    const verdict = listed.verdicts.get(remoteId);
    if (verdict === 'unfinished') return { verdict, list: this.#ageOf(listed) };
    const isNewer = knownSince !== null && listed.at < knownSince;
    const isLeftOut = isNewer || listed.asked?.has(remoteId) === false;
    if (verdict === undefined && listed.isListed && isLeftOut)
      return { verdict: 'newer', list: this.#ageOf(listed) };
    awaited.delete(remoteId);
    return { verdict: verdict ?? 'unknown' };
  }

  #awaitedOf(kind: Kind): Map<string, number> {
    const awaited = this.#awaited.get(kind) ?? new Map<string, number>();
    this.#awaited.set(kind, awaited);
    return awaited;
  }

  #ageOf({ at, nextAt }: Listed): ListAge {
    const now = this.#now();
    return { ageMs: now - at, nextMs: Math.max(0, nextAt - now) };
  }

  /** All jobs of a kind wait for one answer. */
  #askOnce(kind: Kind, options: RequestOptions): Promise<Listed> {
    const asking = this.#asking.get(kind) ?? this.#ask(kind, options);
    this.#asking.set(kind, asking);
    return asking;
  }

  async #ask(kind: Kind, { signal }: RequestOptions): Promise<Listed> {
    const at = this.#now();
    const awaited = this.#awaitedOf(kind);
    for (const [job, askedAt] of awaited)
      if (at - askedAt > FORGOTTEN_AFTER_MS) awaited.delete(job);
    let asked: ReadonlySet<string> | null = null;
    const only = () => (asked = new Set(awaited.keys()));
    try {
      const outcome = await this.#list(kind, { signal, only });
      const tookMs = this.#now() - at;
      const pauseMs =
        outcome.type === 'unsupported'
          ? UNSUPPORTED_MS
          : Math.max(this.#everyMs, tookMs / SHARE_OF_TIME);
      const jobs = outcome.type === 'listed' ? outcome.jobs : [];
      const verdicts = new Map(jobs.map((job) => [job.remoteId, verdictOf(job)]));
      const isListed = outcome.type === 'listed';
      const listed = { at, isListed, nextAt: this.#now() + pauseMs, asked, verdicts };
      this.#known.set(kind, listed);
      return listed;
    } finally {
      this.#asking.delete(kind);
    }
  }
}

/** Without a timing block, an entry does not show the end of its job. */
function verdictOf({ state, submittedAt, finishedAt }: PastJob): Verdict {
  if (/^finished$/i.test(state ?? '') && finishedAt !== null) return 'finished';
  const isOpen = submittedAt !== null && finishedAt === null && !/^failed$/i.test(state ?? '');
  return isOpen ? 'unfinished' : 'unknown';
}
