/** The live view on a terminal: a few lines that redraw themselves. */
import { createLogUpdate } from 'log-update';
import type { Followed, View } from './follow.ts';
import type { Observation } from './observe.ts';
import { expectedEnd } from './expected-end.ts';
import { bar, budgetText, clockText, countsText, stateText } from './progress-text.ts';

const BAR_WIDTH = 30;

export class LiveView implements View {
  private readonly followed: Followed;
  private readonly draw = createLogUpdate(process.stderr);
  private shown: readonly string[] = [];

  constructor(followed: Followed) {
    this.followed = followed;
  }

  show(observation: Observation): void {
    this.shown = this.lines(observation);
    this.draw(this.shown.join('\n'));
  }

  trouble(words: string): void {
    this.draw([...this.shown, `  ${words}`].join('\n'));
  }

  /** What was drawn last stays, and the cursor comes back. */
  end(): void {
    this.draw.done();
  }

  private lines(seen: Observation): string[] {
    const { progress, at } = seen;
    const done = Object.values(progress.ended).reduce((sum, n) => sum + n, 0);
    const end = expectedEnd(seen);
    const codes = Object.entries(progress.failuresByCode).map(([code, n]) => `${n} x ${code}`);
    return [
      `${this.followed.name}${stateText(seen)}  ${bar(done / Math.max(1, progress.total), BAR_WIDTH)}`,
      `  ${countsText(seen)}`,
      ...seen.budgets.map((budget) => `  ${budgetText(budget, at)}`),
      ...(codes.length > 0 ? [`  failed: ${codes.join(', ')}`] : []),
      ...(end === null ? [] : [`  end expected ${clockText(end, at)}`]),
      `  ${this.followed.folder}`,
    ];
  }
}
