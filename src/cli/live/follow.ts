/**
 * Follows a campaign until it ends, or the user interrupts or detaches: a live view with keys on a terminal, otherwise
 * plain lines.
 */
import type { ReadStream } from 'node:tty';
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import type { Campaign } from '../../runner/index.ts';
import { listNotices, type CampaignObservation } from '../../runner/command-line.ts';
import { toReason } from '../../domain/plain-text.ts';
import { say, isQuiet, isVerbose } from '../text/output.ts';
import type { Interruption } from '../interruption.ts';
import { LiveView, PlainLines, type View } from './live-view.ts';
import { buildUiLink } from '../links.ts';

/*
 * Reads the keys of the live view, one by one and without echo. The terminal is always restored: Node itself resets it
 * when the process exits.
 */

/** In raw mode, Ctrl-C is an ordinary key. */
const CTRL_C = '\u0003';

interface Keyboard {
  close(): void;
}

/**
 * null if there is no terminal. Only for a command in the foreground: others are stopped when they access the terminal.
 */
function openKeyboard(input: ReadStream, pressed: (key: string) => void): Keyboard | null {
  if (!input.isTTY) return null;
  const read = (typed: Buffer): void => {
    const text = typed.toString();
    // As the terminal would do: code that handles the interruption does not depend on the keyboard.
    if (text.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
    // Several characters together are pasted text, or the code of a special key.
    else if (text.length === 1) pressed(text.toLowerCase());
  };
  input.setRawMode(true);
  input.on('data', read);
  input.resume();
  return {
    close() {
      input.off('data', read);
      input.setRawMode(false);
      input.pause();
    },
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
  readonly #keyboard: Keyboard | null;
  readonly #view: View;
  #last: CampaignObservation | null = null;
  /** Aborted when the user detaches from the campaign or interrupts the command. */
  readonly #leaving = new AbortController();
  /** Keys of the notices already shown. */
  readonly #noticed = new Set<string>();

  constructor(campaign: Campaign, interruption: Interruption) {
    this.#campaign = campaign;
    this.#interruption = interruption;
    void interruption.request.then(() => this.#leaving.abort());
    if (interruption.requested()) this.#leaving.abort();
    const live = canRedraw();
    this.#keyboard = live ? openKeyboard(process.stdin, (key) => this.#press(key)) : null;
    // This command may take over as host if the other one ends.
    const ctrlC = () => (campaign.session.role === 'joined' ? 'leave' : 'stop');
    const keys = this.#keyboard && { ctrlC };
    const { name, out: folder, ui } = campaign;
    const followed = { name, folder };
    this.#view = live ? new LiveView({ followed, ui, keys }) : new PlainLines(followed);
    interruption.beforeWords = () => this.end();
  }

  async untilTheEnd(): Promise<FollowedTo> {
    for await (const sight of this.#campaign.sights(this.#leaving.signal)) {
      if (sight.type === 'unseen') {
        this.#view.trouble(
          sight.obstacle ??
            `Cannot read the state of the campaign (${sight.reason}); trying again.`,
        );
        continue;
      }
      const seen = sight.observation;
      this.#last = seen;
      if (this.#interruption.requested()) break;
      this.#view.show(seen);
      this.#notice(seen);
    }
    const last = this.#last;
    if (this.#interruption.requested()) return { end: 'interrupted', last };
    return { end: last?.ended ? 'ended' : 'detached', last };
  }

  /** Restores the terminal. May be called twice. */
  end(): void {
    this.#keyboard?.close();
    this.#view.end();
  }

  #notice({ budgets }: CampaignObservation): void {
    for (const { key, words } of budgets.flatMap(listNotices)) {
      if (this.#noticed.has(key)) continue;
      this.#noticed.add(key);
      this.#view.notice(words);
    }
  }

  #press(key: string): void {
    const campaign = this.#campaign;
    const state = this.#last?.progress.state;
    if (key === 'p' && state === 'running')
      void this.#control(() => campaign.pause(), 'Pausing: no new submissions.');
    if (key === 'r' && state === 'paused') void this.#control(() => campaign.resume(), 'Resuming.');
    if (key === 'q') this.#leaving.abort();
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
