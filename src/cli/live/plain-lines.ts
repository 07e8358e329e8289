/**
 * Progress without a terminal: one line per minute without control codes, so that a log shows that the command runs.
 * Written immediately: the beginning and the end, a pause, a service that makes us wait, a changed limit, a full disk,
 * a failed item.
 */
import { say } from '../text/output.ts';
import type { CampaignObservation } from '../../runner/command-line.ts';
import {
  listBlockReasons,
  formatBudgetText,
  formatCounts,
  formatState,
} from '../text/progress-text.ts';
import type { View } from './live-view.ts';

const LINE_INTERVAL_MS = 60_000;

export class PlainLines implements View {
  readonly #name: string;
  #shownAt = 0;
  #shown = '';
  #troubled = '';
  /** Failures of the first observation are counted, not listed. */
  #known: ReadonlySet<string> | null = null;

  constructor({ name }: { readonly name: string }) {
    this.#name = name;
  }

  show(seen: CampaignObservation): void {
    this.#troubled = '';
    this.#printFailures(seen);
    const { state } = seen.progress;
    const words = [
      state === 'paused',
      seen.ended,
      seen.obstacle,
      ...listBlockReasons(seen),
      ...listLimits(seen),
    ].join();
    if (words === this.#shown && seen.at - this.#shownAt < LINE_INTERVAL_MS) return;
    const budgets = seen.budgets.map((budget) => ` [${formatBudgetText(budget, seen.at)}]`);
    say(`${this.#name}${formatState(seen)}: ${formatCounts(seen)}${budgets.join('')}`);
    if (seen.obstacle !== null) say(seen.obstacle);
    this.#shown = words;
    this.#shownAt = seen.at;
  }

  trouble(words: string): void {
    if (words === this.#troubled) return;
    say(words);
    this.#troubled = words;
  }

  notice(words: string): void {
    say(words);
  }

  end(): void {
    // There is nothing to restore: lines stay.
  }

  #printFailures({ progress: { failures = [] } }: CampaignObservation): void {
    const known = this.#known;
    const keyed = failures.map((end) => ({ key: `${end.id} ${end.at}`, ...end }));
    for (const { key, id, state, code, message } of known ? keyed : []) {
      if (!known?.has(key))
        say(`${this.#name}: ${id} ${state}: ${[code, message].filter(Boolean).join(': ')}`);
    }
    this.#known = new Set(keyed.map(({ key }) => key));
  }
}

/** A budget applies a changed limit up to a second after the first observation. */
function listLimits({ budgets }: CampaignObservation): number[] {
  return budgets.flatMap(({ windows }) => windows.map(({ limit }) => limit));
}
