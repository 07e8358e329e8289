/** Progress where there is no terminal: a line when something changed, at most one every ten seconds, no control codes. */
import { say } from './explain.ts';
import type { Followed, View } from './view.ts';
import type { Observation } from './observe.ts';
import { blocksOf, budgetText, countsText, stateText } from './progress-text.ts';

const AT_MOST_EVERY_MS = 10_000;

export class PlainLines implements View {
  private readonly followed: Followed;
  private shownAt = 0;
  private shown = '';
  private troubled = '';

  constructor(followed: Followed) {
    this.followed = followed;
  }

  show(seen: Observation): void {
    this.troubled = '';
    const text = `${this.followed.name}${stateText(seen)}: ${countsText(seen)}`;
    const due = seen.at - this.shownAt >= AT_MOST_EVERY_MS || seen.ended;
    // Not the budgets: the time to their next slot changes all night long.
    const news = [text, ...blocksOf(seen)].join();
    if (news === this.shown || !due) return;
    const budgets = seen.budgets.map((budget) => budgetText(budget, seen.at)).join('; ');
    say(`${text} [${budgets}]`);
    this.shown = news;
    this.shownAt = seen.at;
  }

  trouble(words: string): void {
    if (words === this.troubled) return;
    say(words);
    this.troubled = words;
  }

  end(): void {
    // Nothing to put back: lines stay where they are.
  }
}
