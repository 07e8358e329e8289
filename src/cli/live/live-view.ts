/** How a followed campaign is shown: as a view that is drawn again, or in plain lines. */
import { createLogUpdate } from 'log-update';
import type { CampaignObservation, Observed } from '../../runner/command-line.ts';
import { say } from '../text/output.ts';
import {
  listBlockReasons,
  formatBudgetText,
  formatCounts,
  formatState,
} from '../text/progress-text.ts';
import { renderClosingLines, renderScreen, type Scene } from './screen.ts';

/** Shows observations; the terminal is always restored. */
export interface View {
  show(observation: CampaignObservation): void;
  /** What prevents observations. */
  trouble(words: string): void;
  /** What a key did. */
  notice(words: string): void;
  end(): void;
}

const REDRAW_INTERVAL_MS = 1_000;
/** How long the effect of a key is shown, unless an observation comes first. */
const NOTICE_MS = 5_000;

const OWN_SCREEN = '\u001B[?1049h\u001B[H';
const FORMER_SCREEN = '\u001B[?1049l';
const ERASE_SCREEN = '\u001B[H\u001B[2J';

interface LiveViewOptions extends Pick<Scene, 'ui' | 'keys'> {
  readonly followed: Observed;
}

export class LiveView implements View {
  readonly #options: LiveViewOptions;
  readonly #terminal = process.stderr;
  readonly #draw = createLogUpdate(process.stderr);
  readonly #clock: NodeJS.Timeout;
  #seen: CampaignObservation | null = null;
  #words: { readonly text: string; readonly until: number } | null = null;
  #drawn = '';
  #entered = false;
  #ended = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
    this.#clock = setInterval(() => this.#redraw(), REDRAW_INTERVAL_MS);
    this.#clock.unref();
    this.#terminal.on('resize', this.#resized);
    process.on('exit', this.#leave);
  }

  show(observation: CampaignObservation): void {
    // The connection is back, or the effect of the key is visible.
    if (
      this.#words?.until === Infinity ||
      this.#seen?.progress.state !== observation.progress.state
    )
      this.#words = null;
    this.#seen = observation;
    // The closing lines follow immediately.
    if (!observation.ended) this.#redraw();
  }

  trouble(text: string): void {
    // There is nothing to draw yet.
    if (!this.#seen && this.#words?.text !== text) say(text);
    this.#words = { text, until: Infinity };
    this.#redraw();
  }

  notice(text: string): void {
    this.#words = { text, until: Date.now() + NOTICE_MS };
    this.#redraw();
  }

  /** Leaves the last state on the normal screen and restores the cursor. May be called twice. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#clock);
    this.#terminal.off('resize', this.#resized);
    process.off('exit', this.#leave);
    this.#leave();
    this.#draw.done();
    const scene = this.#scene();
    for (const line of scene ? renderClosingLines(scene, this.#terminal.columns) : [])
      this.#terminal.write(`${line}\n`);
  }

  /** Also called when the process exits in another way. */
  readonly #leave = (): void => {
    if (this.#entered) this.#terminal.write(FORMER_SCREEN);
    this.#entered = false;
  };

  readonly #resized = (): void => {
    if (!this.#entered) return;
    this.#draw.clear();
    this.#terminal.write(ERASE_SCREEN);
    this.#drawn = '';
    this.#redraw();
  };

  #redraw(): void {
    const scene = this.#scene();
    if (this.#ended || !scene) return;
    if (!this.#entered) this.#terminal.write(OWN_SCREEN);
    this.#entered = true;
    // log-update ends its output with an empty line.
    const size = { columns: this.#terminal.columns, rows: this.#terminal.rows - 1 };
    const text = renderScreen(scene, size).join('\n');
    if (text !== this.#drawn) this.#draw(text);
    this.#drawn = text;
    this.#clock.refresh();
  }

  #scene(): Scene | null {
    const seen = this.#seen;
    if (!seen) return null;
    const now = Math.max(Date.now(), seen.at);
    const notice = this.#words && this.#words.until > now ? this.#words.text : null;
    return { ...this.#options, now, seen, notice };
  }
}

/*
 * Progress without a terminal: one line per minute without control codes, so that a log shows that the command runs.
 * Written immediately: the beginning and the end, a pause, a service that makes us wait, a changed limit, a full disk,
 * a failed item.
 */

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
