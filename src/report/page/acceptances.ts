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

interface Acceptance {
  readonly span: Span;
  /** The time reported by the service, by its clock: from, and until. */
  readonly reported: Span | null;
}

export class Acceptances {
  /** ms since the epoch. */
  readonly #found = new Map<ServiceName, Acceptance[]>();

  add({ service, attempts, remoteId, timing }: ItemRecord): void {
    let found = this.#found.get(service);
    if (found === undefined) this.#found.set(service, (found = []));
    for (const attempt of attempts) {
      if (attempt.outcome !== 'accepted' && attempt.outcome !== 'found') continue;
      const queuedAt = attempt.remoteId === remoteId ? (timing?.queuedAt ?? null) : null;
      found.push({ span: spanOf(attempt), reported: reportedSpan(queuedAt) });
    }
  }

  /** ms after `startedAt` (ISO 8601), by their ends, ascending. */
  spans(startedAt: string): Partial<Record<ServiceName, readonly Span[]>> {
    const start = Date.parse(startedAt);
    return Object.fromEntries(
      Array.from(this.#found, ([service, found]) => [
        service,
        narrowed(found)
          .map(([from, to]) => [from - start, to - start] as const)
          .sort((a, b) => a[1] - b[1]),
      ]),
    );
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
function narrowed(found: readonly Acceptance[]): readonly Span[] {
  let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { span, reported } of found) {
    if (reported === null) continue;
    least = Math.max(least, reported[0] - span[1]);
    most = Math.min(most, reported[1] - span[0]);
  }
  if (least > most) return found.map(({ span }) => span);
  return found.map(({ span: [from, to], reported }) =>
    reported === null
      ? [from, to]
      : [Math.max(from, reported[0] - most), Math.min(to, reported[1] - least)],
  );
}
