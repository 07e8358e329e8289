/**
 * Follows a campaign until it ends, or the user interrupts or detaches: a live view with keys on a terminal, otherwise
 * plain lines.
 */
import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream } from 'node:tty';
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import type { Campaign, CampaignObservation } from '../runner/command-line.ts';
import {
  formatBudgetText,
  formatCounts,
  formatState,
  renderClosingLines,
  renderScreen,
  type Scene,
} from './progress.ts';
import { nameBudget } from '../budget/status.ts';
import { countEnded } from '../domain/campaign.ts';
import { toReason } from '../domain/errors.ts';
import { say, isQuiet, isVerbose, buildUiLink } from './terminal.ts';
import type { Interruption } from './interruption.ts';

/**
 * The keys of the live view, one by one and without echo; null if there is no terminal. Returns what closes it. Only for
 * a command in the foreground: others are stopped when they access the terminal. Node itself resets the terminal when
 * the process exits.
 */
function openKeyboard(input: ReadStream, pressed: (key: string) => void): (() => void) | null {
  if (!input.isTTY) return null;
  const read = (_: string | undefined, { name = '', ctrl = false, meta = false }: Key): void => {
    // As the terminal would do: code that handles the interruption does not depend on the keyboard.
    if (ctrl && name === 'c') process.kill(process.pid, 'SIGINT');
    else if (!ctrl && !meta) pressed(name);
  };
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on('keypress', read);
  input.resume();
  return () => {
    input.off('keypress', read);
    input.setRawMode(false);
    input.pause();
  };
}

export interface FollowedTo {
  /** `detached`: the user has left, and the campaign continues. */
  readonly end: 'ended' | 'interrupted' | 'detached';
  /** The last observation; null if there was none. */
  readonly last: CampaignObservation | null;
}

export async function follow(campaign: Campaign, interruption: Interruption): Promise<FollowedTo> {
  const { ui, name } = campaign;
  if (ui) say(`All items in the Temporal UI: ${buildUiLink(ui, name)}`);
  const following = new Following(campaign, interruption);
  try {
    return await following.untilTheEnd();
  } finally {
    following.end();
  }
}

/** A "dumb" terminal (an editor's shell, a serial line) cannot redraw. */
function canRedraw(): boolean {
  const lines = isQuiet() || isVerbose();
  return !lines && process.stderr.isTTY && process.env['TERM'] !== 'dumb' && isInForeground();
}

class Following {
  readonly #campaign: Campaign;
  readonly #interruption: Interruption;
  readonly #closeKeyboard: (() => void) | null;
  readonly #view: View;
  #last: CampaignObservation | null = null;
  /** Aborted when the user detaches from the campaign. */
  readonly #detached = new AbortController();

  constructor(campaign: Campaign, interruption: Interruption) {
    this.#campaign = campaign;
    this.#interruption = interruption;
    const live = canRedraw();
    this.#closeKeyboard = live ? openKeyboard(process.stdin, (key) => this.#press(key)) : null;
    // This command may take over as host if the other one ends.
    const ctrlC = () => (campaign.session.role === 'joined' ? 'leave' : 'stop');
    const keys = this.#closeKeyboard && { ctrlC };
    const { name, out: folder, ui } = campaign;
    const followed = { name, folder };
    this.#view = live ? new LiveView({ followed, ui, keys }) : new PlainLines(followed);
    interruption.beforeWords = () => this.end();
  }

  async untilTheEnd(): Promise<FollowedTo> {
    const left = AbortSignal.any([this.#interruption.signal, this.#detached.signal]);
    for await (const event of this.#campaign.events(left)) {
      if (event.type === 'unreachable') this.#view.trouble(event.reason);
      else if (event.type === 'notice') this.#view.notice(event.text);
      else if (event.type === 'progress') {
        this.#last = event;
        if (this.#interruption.requested()) break;
        if (!this.#isUnread(event)) this.#view.show(event);
      }
    }
    const last = this.#last;
    if (this.#interruption.requested()) return { end: 'interrupted', last };
    return { end: last?.ended ? 'ended' : 'detached', last };
  }

  /** The campaign has not read yet which items had ended before: it would be shown with none. */
  #isUnread({ progress, ended: isOver, obstacle }: CampaignObservation): boolean {
    const { open, ended, startsAt } = progress;
    const { done } = this.#campaign.begun;
    if (isOver || obstacle !== null || startsAt !== undefined) return false;
    return done > 0 && open + countEnded(ended) === 0;
  }

  /** Restores the terminal. May be called twice. */
  end(): void {
    this.#closeKeyboard?.();
    this.#view.end();
  }

  #press(key: string): void {
    const campaign = this.#campaign;
    const state = this.#last?.progress.state;
    if (key === 'p' && state === 'running')
      void this.#control(() => campaign.pause(), 'Pausing: no new submissions.');
    if (key === 'r' && state === 'paused') void this.#control(() => campaign.resume(), 'Resuming.');
    if (key === 'q') this.#detached.abort();
  }

  async #control(send: () => Promise<void>, words: string): Promise<void> {
    this.#view.notice(words);
    try {
      await send();
      this.#campaign.lookNow();
    } catch (error) {
      this.#view.notice(`Cannot reach the campaign: ${toReason(error)}`);
    }
  }
}

/** Whether we own the terminal: a command in the background must neither draw on it nor read keys. */
function isInForeground(): boolean {
  const [group, foreground] = readProcessGroups();
  return group === foreground;
}

/** Our process group, and the foreground group of our terminal. */
function readProcessGroups(): readonly (string | undefined)[] {
  if (process.platform === 'linux') {
    // After the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [group, foreground];
  }
  const command = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  return execFileSync('ps', command, { encoding: 'utf8' }).trim().split(/\s+/);
}

/** Shows observations; the terminal is always restored. */
interface View {
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

/** The alternate screen, without a cursor: what was on the terminal comes back afterwards. */
const OWN_SCREEN = '\u001B[?1049h\u001B[?25l';
const FORMER_SCREEN = '\u001B[?1049l\u001B[?25h';
const HOME = '\u001B[H';
const ERASE_LINE = '\u001B[2K';
const ERASE_BELOW = '\u001B[J';

type LiveViewOptions = Pick<Scene, 'followed' | 'ui' | 'keys'>;

class LiveView implements View {
  readonly #options: LiveViewOptions;
  readonly #terminal = process.stderr;
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
    this.#terminal.write(HOME + ERASE_BELOW);
    this.#drawn = '';
    this.#redraw();
  };

  #redraw(): void {
    const scene = this.#scene();
    if (this.#ended || !scene) return;
    if (!this.#entered) this.#terminal.write(OWN_SCREEN);
    this.#entered = true;
    const { columns, rows } = this.#terminal;
    const lines = renderScreen(scene, { columns, rows }).map((line) => ERASE_LINE + line);
    const text = [...lines, ...(lines.length < rows ? [ERASE_BELOW] : [])].join('\n');
    if (text !== this.#drawn) this.#terminal.write(HOME + text);
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

class PlainLines implements View {
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
    const { at, budgets, obstacle } = seen;
    // A refusal lasts until a probe succeeds; a budget applies a changed limit up to a second after it was first seen.
    const reasons = budgets.map(({ refusal, blockedBecause }) => refusal?.reason ?? blockedBecause);
    const limits = budgets.flatMap(({ windows }) => windows.map(({ limit }) => limit));
    const isPaused = seen.progress.state === 'paused';
    const words = [isPaused, seen.ended, obstacle, ...reasons, ...limits].join();
    if (words === this.#shown && at - this.#shownAt < LINE_INTERVAL_MS) return;
    const texts = budgets.map((one) => ` [${formatBudgetText(nameBudget(one, budgets), one, at)}]`);
    say(`${this.#name}${formatState(seen)}: ${formatCounts(seen)}${texts.join('')}`);
    for (const why of [obstacle, seen.hindered]) if (why !== null) say(why);
    this.#shown = words;
    this.#shownAt = at;
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
    const lines = failures.map(({ at, id, state, code, message }) => {
      const text = `${this.#name}: ${id} ${state}: ${[code, message].filter(Boolean).join(': ')}`;
      return { key: `${id} ${at}`, text };
    });
    const known = this.#known;
    if (known) for (const { key, text } of lines) if (!known.has(key)) say(text);
    this.#known = new Set(lines.map(({ key }) => key));
  }
}
