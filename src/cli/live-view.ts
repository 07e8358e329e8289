/** The live view on a terminal: a few lines that redraw themselves. */
import { createLogUpdate } from 'log-update';
import type { Followed, View } from './view.ts';
import type { Observation } from './observe.ts';
import { expectedEnd } from '../plan/expected-end.ts';
import { bar, budgetText, countsText, endText, stateText } from './progress-text.ts';

const BAR_WIDTH = 30;

export class LiveView implements View {
  private readonly followed: Followed;
  private readonly draw = createLogUpdate(process.stderr);
  private shown: readonly string[] = [];
  private ended = false;

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

  /** What was drawn last stays, and the cursor comes back. May be called twice. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.draw.done();
    // The terminal itself has written `^C` where our next words belong.
    process.stderr.write('\r\u001B[K');
  }

  private lines(seen: Observation): string[] {
    const { progress, at } = seen;
    const done = Object.values(progress.ended).reduce((sum, n) => sum + n, 0);
    const share = done / Math.max(1, progress.total);
    const end = expectedEnd(seen);
    const codes = Object.entries(progress.failuresByCode).map(([code, n]) => `${n} x ${code}`);
    return [
      `${this.followed.name}  ${bar(share, BAR_WIDTH)} ${Math.floor(share * 100)} %${stateText(seen)}`,
      `  ${countsText(seen)}`,
      ...seen.budgets.map((budget) => `  ${budgetText(budget, at)}`),
      ...(codes.length > 0 ? [`  reasons: ${codes.join(', ')}`] : []),
      ...(end === null ? [] : [`  ${endText(end, at)}`]),
      // The closing words say it once more.
      ...(seen.ended ? [] : [`  results: ${this.followed.folder}`]),
    ];
  }
}
