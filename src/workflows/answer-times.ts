/**
 * When submissions were answered, by the clock of the budget. The budget reads its clock some time after an answer: the
 * activity notifies the item, its end becomes a task of the workflow, and an activity reads the clock. That takes 0.1 s
 * on an idle machine and seconds in a burst of a hundred, and a slot would be idle for as long.
 *
 * An answer carries a reading of the steady clock of its machine, and the end of its activity another one. The budget's
 * clock is read after that end, so their difference is never too small: the smallest one seen is the true difference
 * plus the shortest delay. An answer is placed by it, a little late but never early.
 *
 * In a burst all delays are long. So the two clocks are also compared before the first one, and just before slots are
 * free, when the machine has nothing to do.
 *
 * If the server's clock is set forward, the difference grows and the smallest one is wrong. Such an answer is placed
 * before a time that the server's clock had reached before it; then nothing that was seen before counts.
 */
import type { BudgetEvent } from '../budget/events.ts';
import type { AnswerTime, SteadyReading } from '../domain/outcomes.ts';
import type { BudgetClock } from './budget-clock.ts';

/** Two clocks drift apart by less than this share of the time, even if NTP corrects both in opposite directions. */
const DRIFT = 0.001;
/** An answer is never placed further before the reading (ms): a limit of what an unnoticed step of a clock can do. */
const LONGEST_DELAY_MS = 5_000;
/** The same for an answer whose worker died: until another one has started, and the server has given it the work. */
const LONGEST_RECALL_MS = 60_000;

/** A difference this old (ms) is compared again when there is time: an answer is placed late by the drift since. */
const COMPARED_AGAIN_MS = 5_000;

/** The smallest difference between the budget's clock and a steady one, and when it was seen (ms). */
interface Least {
  readonly difference: number;
  readonly at: number;
}

export class AnswerTimes {
  readonly #least = new Map<string, Least>();

  /** These events with the times at which answers were complete. The clock was read after all of them. */
  timed(
    events: readonly BudgetEvent[],
    { now, ahead }: Pick<BudgetClock, 'now' | 'ahead'>,
  ): readonly BudgetEvent[] {
    for (const event of events) {
      const answered = answerOf(event);
      if (answered) this.saw(answered, now);
    }
    return events.map((event) => {
      const answered = answerOf(event);
      return answered ? { ...event, chargedAt: this.timeOf(answered, now, ahead) } : event;
    });
  }

  /** No steady clock was read, and no answer came. */
  get isNew(): boolean {
    return this.#least.size === 0;
  }

  /** Whether a reading of a steady clock would place the next answers better. */
  wantsReading(now: number): boolean {
    const all = [...this.#least.values()];
    return all.length > 0 && all.every(({ at }) => now - at >= COMPARED_AGAIN_MS);
  }

  /** The budget's clock shows `now`, and was read after the end of this activity. */
  saw({ clock, ended }: SteadyReading, now: number): void {
    const difference = now - ended;
    const least = this.#least.get(clock);
    if (least && difference > least.difference + drifted(now - least.at)) return;
    this.#least.set(clock, { difference, at: now });
  }

  /**
   * When the answer was complete, or later, by the budget's clock (ms); at most `now`.
   *
   * @param ahead how far the budget's clock is ahead of the server's (ms)
   */
  timeOf(answer: AnswerTime, now: number, ahead: number): number {
    const least = this.#least.get(answer.clock);
    if (least === undefined) return now;
    const time = placed(answer.at, least, now);
    if (time < answer.after + ahead) {
      this.#least.delete(answer.clock);
      return now;
    }
    const longest = answer.recalled ? LONGEST_RECALL_MS : LONGEST_DELAY_MS;
    return Math.min(now, Math.max(time, now - longest));
  }
}

function answerOf(event: BudgetEvent): AnswerTime | null {
  if (event.type !== 'close' || event.closing.type !== 'accepted') return null;
  return event.closing.answered ?? null;
}

/** The clocks may have drifted apart since the difference was seen, or between the answer and that moment. */
function placed(at: number, { difference, at: seenAt }: Least, now: number): number {
  const time = at + difference;
  return Math.ceil(time + drifted(Math.max(now - seenAt, seenAt - time)));
}

/** How far two clocks may have drifted apart in this time (ms). */
function drifted(ms: number): number {
  return DRIFT * Math.max(0, ms);
}
