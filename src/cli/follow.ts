/** Follows a campaign until it ends, or the user interrupts: a live view on a terminal, plain lines elsewhere. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '../host/session.ts';
import { reasonOf, say } from './explain.ts';
import type { Interruption } from './interruption.ts';
import { observe, type Observation } from './observe.ts';
import type { Followed, View } from './view.ts';
import { LiveView } from './live-view.ts';
import { PlainLines } from './plain-lines.ts';
import { recover } from './temporal-away.ts';
import { uiLink } from './ui-link.ts';

const EVERY_MS = 500;
/** A look may fail while a worker starts, or a host changes; then it is worth a word. */
const FAILURES_WITHOUT_WORDS = 6;

export interface FollowedTo {
  readonly end: 'ended' | 'interrupted';
  /** What was seen last; null when nothing ever was. */
  readonly last: Observation | null;
}

/** A terminal that calls itself dumb (an editor's shell, a serial line) cannot redraw. */
function redraws(): boolean {
  return process.stderr.isTTY && process.env['TERM'] !== 'dumb';
}

export async function follow(
  session: Session,
  { name, folder }: Followed,
  interruption: Interruption,
): Promise<FollowedTo> {
  if (session.ui) say(`Every item in the Temporal UI: ${uiLink(session.ui, name)}`);
  const view: View = redraws() ? new LiveView({ name, folder }) : new PlainLines({ name, folder });
  interruption.beforeWords = () => view.end();
  let last: Observation | null = null;
  let failures = 0;
  try {
    for (;;) {
      if (interruption.requested()) return { end: 'interrupted', last };
      const seen = await observe(session, name).catch((error: unknown) => {
        failures += 1;
        if (failures > FAILURES_WITHOUT_WORDS && !interruption.requested())
          view.trouble(`The campaign cannot be looked at now (${reasonOf(error)}); trying again.`);
        return null;
      });
      if (interruption.requested()) return { end: 'interrupted', last: seen ?? last };
      if (seen) {
        failures = 0;
        last = seen;
        view.show(seen);
        if (seen.ended) return { end: 'ended', last };
      }
      // Nothing seen: Temporal is away, or a host we had joined has gone and somebody must take over.
      else await recover(session);
      await Promise.race([delay(EVERY_MS), interruption.request]);
    }
  } finally {
    view.end();
  }
}
