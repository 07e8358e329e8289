/**
 * Follows a campaign until it ends, or the user interrupts or leaves it: a live view with keys on a terminal, plain
 * lines elsewhere.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { noticesOf } from './budget-notices.ts';
import { nextLookIn } from './cadence.ts';
import { reasonOf, say } from './explain.ts';
import type { Interruption } from './interruption.ts';
import { inForeground } from './live/foreground.ts';
import { openKeyboard, type Keyboard } from './live/keyboard.ts';
import { LiveView } from './live/live-view.ts';
import { Observer, type Observation, type Observed } from './observe.ts';
import { PlainLines } from './plain-lines.ts';
import { recover } from './temporal-away.ts';
import { uiLink } from './ui-link.ts';
import { isQuiet, isVerbose } from './verbosity.ts';
import type { View } from './view.ts';

/** A look may fail while a worker starts, or a host changes; then it is worth a word. */
const FAILURES_WITHOUT_WORDS = 6;
const AFTER_FAILURE_MS = 500;

export interface FollowedTo {
  /** `detached`: the user has left it, and it is to go on. */
  readonly end: 'ended' | 'interrupted' | 'detached';
  /** What was seen last; null when nothing ever was. */
  readonly last: Observation | null;
}

export async function follow(
  session: Session,
  followed: Observed,
  interruption: Interruption,
): Promise<FollowedTo> {
  if (session.ui) say(`Every item in the Temporal UI: ${uiLink(session.ui, followed.name)}`);
  const following = new Following(session, followed, interruption);
  try {
    return await following.untilTheEnd();
  } finally {
    following.end();
  }
}

/** A terminal that calls itself dumb (an editor's shell, a serial line) cannot redraw. */
function redraws(): boolean {
  const lines = isQuiet() || isVerbose();
  return !lines && process.stderr.isTTY && process.env['TERM'] !== 'dumb' && inForeground();
}

/** Another command has begun a new database: the former one was damaged, or written by a clock that was set back. */
function forgotten(name: string, cause: unknown): HundredfoldError {
  return new HundredfoldError({
    code: 'CAMPAIGN_UNKNOWN',
    message: `Temporal has a new database, and does not know the campaign ${name} any more`,
    remedy:
      'Type its "hundredfold run" command again: what is done stays done, and nothing is submitted twice.',
    cause,
  });
}

class Following {
  private readonly session: Session;
  private readonly name: string;
  private readonly interruption: Interruption;
  private readonly observer: Observer;
  private readonly keyboard: Keyboard | null;
  private readonly view: View;
  private last: Observation | null = null;
  private left = false;
  /** Keys of the notices that were shown. */
  private readonly noticed = new Set<string>();
  /** Ends the wait for the next look. */
  private wake: () => void = () => undefined;

  constructor(session: Session, followed: Observed, interruption: Interruption) {
    this.session = session;
    this.name = followed.name;
    this.interruption = interruption;
    this.observer = new Observer(session, followed);
    const live = redraws();
    this.keyboard = live ? openKeyboard(process.stdin, (key) => this.press(key)) : null;
    // It may become the one that works, should the other command go.
    const ctrlC = () => (session.role === 'joined' ? 'leave' : 'stop');
    const keys = this.keyboard && { ctrlC };
    this.view = live ? new LiveView({ followed, ui: session.ui, keys }) : new PlainLines(followed);
    interruption.beforeWords = () => this.end();
  }

  async untilTheEnd(): Promise<FollowedTo> {
    let failures = 0;
    let waited = 0;
    for (;;) {
      const before = this.last && { seen: this.last, waited };
      const seen = this.isLeft() ? null : await this.look(failures);
      const last = seen ?? this.last;
      if (this.interruption.requested()) return { end: 'interrupted', last };
      if (this.left && !seen?.ended) return { end: 'detached', last };
      if (seen) {
        failures = 0;
        this.last = seen;
        this.view.show(seen);
        this.notice(seen);
        if (seen.ended) return { end: 'ended', last: seen };
        waited = nextLookIn(before, seen);
      } else {
        failures += 1;
        waited = AFTER_FAILURE_MS;
        // Temporal is away, or a host we had joined has gone and somebody must take over.
        await recover(this.session);
      }
      const woken = new Promise<void>((resolve) => (this.wake = resolve));
      await Promise.race([delay(waited), woken, this.interruption.request]);
    }
  }

  /** The terminal is left. May be called twice. */
  end(): void {
    this.keyboard?.close();
    this.view.end();
  }

  private notice({ budgets }: Observation): void {
    for (const { key, words } of budgets.flatMap(noticesOf)) {
      if (this.noticed.has(key)) continue;
      this.noticed.add(key);
      this.view.notice(words);
    }
  }

  private isLeft(): boolean {
    return this.left || this.interruption.requested();
  }

  private async look(failures: number): Promise<Observation | null> {
    try {
      return await this.observer.look();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw forgotten(this.name, error);
      if (failures >= FAILURES_WITHOUT_WORDS && !this.isLeft())
        this.view.trouble(
          `The campaign cannot be looked at now (${reasonOf(error)}); trying again.`,
        );
      return null;
    }
  }

  private press(key: string): void {
    const state = this.last?.progress.state;
    if (key === 'p' && state === 'running')
      void this.tell(pauseSignal, 'Pausing: nothing more is submitted.');
    if (key === 'r' && state === 'paused') void this.tell(resumeSignal, 'Going on.');
    if (key === 'q') {
      this.left = true;
      this.wake();
    }
  }

  private async tell(
    signal: typeof pauseSignal | typeof resumeSignal,
    words: string,
  ): Promise<void> {
    this.view.notice(words);
    try {
      await this.session.client.workflow.getHandle(campaignWorkflowId(this.name)).signal(signal);
      this.wake();
    } catch (error) {
      this.view.notice(`That did not reach the campaign: ${reasonOf(error)}`);
    }
  }
}
