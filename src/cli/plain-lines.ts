/** Progress where there is no terminal: a line when something changed, at most one every ten seconds, no control codes. */
import { say } from './explain.ts';
import type { Followed, View } from './follow.ts';
import type { Observation } from './observe.ts';
import { budgetText, countsText } from './progress-text.ts';

const AT_MOST_EVERY_MS = 10_000;

export class PlainLines implements View {
  private readonly followed: Followed;
  private readonly ui: string | null;
  private shownAt = 0;
  private shown = '';

  constructor(followed: Followed, ui: string | null) {
    this.followed = followed;
    this.ui = ui;
  }

  show(seen: Observation): void {
    if (this.shownAt === 0 && this.ui) say(`every item: ${this.ui}/namespaces/default/workflows`);
    const text = countsText(seen);
    const due = seen.at - this.shownAt >= AT_MOST_EVERY_MS || seen.ended;
    if (text === this.shown || !due) return;
    const budgets = seen.budgets.map((budget) => budgetText(budget, seen.at)).join('; ');
    say(`${this.followed.name}: ${text} [${budgets}]`);
    this.shown = text;
    this.shownAt = seen.at;
  }

  end(): void {
    // Nothing to put back: lines stay where they are.
  }
}
