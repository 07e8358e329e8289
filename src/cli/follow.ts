/** Follows a campaign until it ends, or the user interrupts: a live view on a terminal, plain lines elsewhere. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '../host/session.ts';
import { say } from './explain.ts';
import { observe, type Observation } from './observe.ts';
import { LiveView } from './live-view.ts';
import { PlainLines } from './plain-lines.ts';

export interface Followed {
  readonly name: string;
  readonly folder: string;
}

/** Shows observations; left in order whatever happens. */
export interface View {
  show(observation: Observation): void;
  end(): void;
}

const EVERY_MS = 500;

export async function follow(
  session: Session,
  followed: Followed,
): Promise<'ended' | 'interrupted'> {
  const interruption = new Interruption();
  const view: View = process.stderr.isTTY
    ? new LiveView(followed, session.ui)
    : new PlainLines(followed, session.ui);
  try {
    for (;;) {
      const seen = await observe(session, followed.name).catch(() => null);
      if (seen) view.show(seen);
      if (seen?.ended) return 'ended';
      if (interruption.requested) return 'interrupted';
      // Nothing seen: Temporal is away, or a host we had joined has gone and somebody must take over.
      if (!seen) await session.recover();
      await Promise.race([delay(EVERY_MS), interruption.request]);
    }
  } finally {
    view.end();
    if (interruption.requested)
      say('Stopping: jobs that are being sent are waited for. Ctrl-C again leaves at once.');
  }
}

/** The first Ctrl-C (or SIGTERM) asks us to stop in order; the second leaves at once. */
class Interruption {
  requested = false;
  readonly request: Promise<void>;

  constructor() {
    this.request = new Promise((resolve) => {
      const ask = () => {
        if (this.requested) process.exit(130);
        this.requested = true;
        resolve();
      };
      process.on('SIGINT', ask);
      process.on('SIGTERM', ask);
    });
  }
}
