/**
 * The time spans in which each service accepted the jobs of a campaign. The service stamps a job between the first byte
 * of its POST and the end of the answer. If it reports its own time, the span is narrowed. Pure; times in ms.
 *
 * Rejected: the time of the request alone (too early by the latency), the service's time as it is (clocks differ), and
 * requesting the list of past results (one more request per campaign, for a figure).
 */
import type { Attempt } from '../../domain/campaign.ts';
import type { ServiceName } from '../../domain/item.ts';
import { LONGEST_POST_MS } from '../../domain/longest-post.ts';
import type { Span } from '../../report-page/data.ts';
import type { ItemRecord } from '../../store/item-record.ts';

/** Of one service, a number a job in each list: objects would take six times the memory. In ms since the epoch. */
interface Accepted {
  readonly from: number[];
  readonly to: number[];
  /** The time reported by the service, by its clock; NaN if it reported none. */
  readonly reportedFrom: number[];
  readonly reportedTo: number[];
}

export class Acceptances {
  readonly #accepted = new Map<ServiceName, Accepted>();

  add({ service, attempts, remoteId, timing }: ItemRecord): void {
    for (const attempt of attempts) {
      if (attempt.outcome !== 'accepted' && attempt.outcome !== 'found') continue;
      const queuedAt = attempt.remoteId === remoteId ? (timing?.queuedAt ?? null) : null;
      const [from, to] = spanOf(attempt);
      const [reportedFrom, reportedTo] = reportedSpan(queuedAt) ?? [NaN, NaN];
      const accepted = this.#of(service);
      accepted.from.push(from);
      accepted.to.push(to);
      accepted.reportedFrom.push(reportedFrom);
      accepted.reportedTo.push(reportedTo);
    }
  }

  /** ms after `startedAt` (ISO 8601), by their ends, ascending. */
  spans(startedAt: string): Partial<Record<ServiceName, readonly Span[]>> {
    const start = Date.parse(startedAt);
    return Object.fromEntries(
      Array.from(this.#accepted, ([service, accepted]) => [
        service,
        narrowed(accepted, start).sort((a, b) => a[1] - b[1]),
      ]),
    );
  }

  #of(service: ServiceName): Accepted {
    let accepted = this.#accepted.get(service);
    if (accepted === undefined) {
      accepted = { from: [], to: [], reportedFrom: [], reportedTo: [] };
      this.#accepted.set(service, accepted);
    }
    return accepted;
  }
}

/** A job found by a look-up was accepted between the first POST that may have created it and the look-up. */
function spanOf({ at, sentAt, answeredAt }: Attempt): Span {
  const to = Date.parse(answeredAt ?? at);
  // One with an unknown start was not sent earlier.
  const from = sentAt === undefined ? to - LONGEST_POST_MS : Date.parse(sentAt);
  return [Math.min(from, to), to];
}

/** Null without a zone: the moment is then unknown. */
function reportedSpan(queuedAt: string | null): Span | null {
  const parts = /:\d\d(\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/.exec(queuedAt ?? '');
  const from = Date.parse(queuedAt ?? '');
  if (parts === null || Number.isNaN(from)) return null;
  return [from, from + (parts[1] === undefined ? 1_000 : 1)];
}

/**
 * The service's clock may have an offset, the same for all jobs: so the limits that each job sets for it must be
 * consistent. If they are not, a clock was set, and the service's times cannot be converted to ours.
 */
function narrowed({ from, to, reportedFrom, reportedTo }: Accepted, start: number): Span[] {
  let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [job, reported] of reportedFrom.entries()) {
    if (Number.isNaN(reported)) continue;
    least = Math.max(least, reported - at(to, job));
    most = Math.min(most, at(reportedTo, job) - at(from, job));
  }
  return from.map((earliest, job) => {
    const span = [earliest - start, at(to, job) - start] as const;
    const reported = at(reportedFrom, job);
    if (least > most || Number.isNaN(reported)) return span;
    return [
      Math.max(span[0], reported - most - start),
      Math.min(span[1], at(reportedTo, job) - least - start),
    ];
  });
}

function at(list: readonly number[], job: number): number {
  return list[job] ?? NaN;
}
