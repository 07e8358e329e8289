/** How a followed campaign is shown. */
import { createLogUpdate } from 'log-update';
import type { CampaignObservation, Observed } from '../../runner/command-line.ts';
import { say } from '../text/output.ts';
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
