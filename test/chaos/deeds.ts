/** The actions of a storm, as plain data, and their frequencies. */
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import type { ProxyMode } from '../crash/proxy.ts';
import { randomSpell } from './fault-menu.ts';
import type { Random } from './random.ts';

export type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGINT';

/** In `freeze`: the Temporal server, beside the names of commands. */
export const TEMPORAL = 'temporal';
/** The working command that runs the embedded server at that moment. */
export const HOST = 'host';

export type Deed =
  /** One of the commands is ended and restarted after a while. `twice`: the signal is repeated, as Ctrl-C Ctrl-C. */
  | {
      readonly do: 'end';
      readonly whom: string;
      readonly signal: Signal;
      readonly twice: boolean;
      readonly againMs: number;
    }
  /** The Temporal server is killed. The embedded one restarts by itself. */
  | { readonly do: 'kill-temporal'; readonly againMs: number }
  | { readonly do: 'restart-services'; readonly signal: Signal; readonly againMs: number }
  | { readonly do: 'faults'; readonly rules: readonly FaultRule[]; readonly forMs: number }
  | { readonly do: 'cut'; readonly cut: ProxyMode; readonly forMs: number }
  /** SIGSTOP, and SIGCONT afterwards, to all of them at once. */
  | { readonly do: 'freeze'; readonly whom: readonly string[]; readonly forMs: number }
  | { readonly do: 'pause'; readonly campaign: string; readonly forMs: number }
  /** A command that only reads. */
  | { readonly do: 'ask'; readonly words: readonly string[] }
  /** A power cut: all processes at once. */
  | { readonly do: 'kill-all'; readonly againMs: number }
  /** All commands and the server are killed, and the folder of the embedded server is removed. */
  | { readonly do: 'forget'; readonly againMs: number }
  /** `rm -rf` under a running campaign; then its command is ended and restarted. */
  | {
      readonly do: 'remove';
      readonly campaign: string;
      /** An item's id; null: the campaign's whole tree. */
      readonly item: string | null;
      readonly signal: Signal;
      readonly againMs: number;
    }
  /** From now on the clock reads this much later than the true one; the scenario determines whose clock. */
  | { readonly do: 'set-clock'; readonly offsetS: number };

export type Event = Deed & {
  readonly atMs: number;
  /**
   * After `atMs` the event waits for the next time at which a slot of the window becomes free, plus this many ms
   * (negative: before it).
   */
  readonly edgeMs?: number;
};

const DEEDS = {
  end: 5,
  'kill-temporal': 1.5,
  'restart-services': 1.5,
  faults: 9,
  cut: 2,
  freeze: 1.5,
  pause: 1,
  ask: 1,
  'kill-all': 0.7,
} as const satisfies Partial<Record<Deed['do'], number>>;

/** One of the actions that any campaign must survive, whatever else happens. */
export function randomDeed(
  random: Random,
  commands: readonly string[],
  campaigns: readonly string[],
): Deed {
  const deed = random.weighted(DEEDS);
  const againMs = random.int(0, 5_000);
  switch (deed) {
    case 'end': {
      const signal = random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT'] as const);
      const twice = signal !== 'SIGKILL' && random.chance(0.3);
      return { do: deed, whom: random.pick(commands), signal, twice, againMs };
    }
    case 'kill-temporal':
    case 'kill-all':
      return { do: deed, againMs };
    case 'restart-services':
      return { do: deed, signal: random.pick(['SIGTERM', 'SIGKILL'] as const), againMs };
    case 'faults':
      return { do: deed, ...randomSpell(random) };
    case 'cut': {
      const cut = random.pick(['reset', 'hang', 'half-open'] as const);
      return { do: deed, cut, forMs: random.int(300, 5_000) };
    }
    case 'freeze':
      return { do: deed, whom: [random.pick(commands)], forMs: random.int(500, 8_000) };
    case 'pause':
      return { do: deed, campaign: random.pick(campaigns), forMs: random.int(500, 6_000) };
    case 'ask':
      return ask(random);
  }
}

/** `cancel` of a campaign that does not exist must find that out, and changes nothing. */
export function ask(random: Random): Deed {
  const questions = [['status', '--json'], ['status', 'a', '--json'], ['doctor'], ['cancel', 'no']];
  return { do: 'ask', words: random.pick(questions) };
}
