/**
 * What a round will do, made from its seed before it starts: plain data, so that the same seed gives the same storm
 * and a failing one can be read. Times are ms since the round's first command was typed.
 */
import type { FaultRule } from '../../src/local-services/faults.ts';
import { randomSpell } from './fault-menu.ts';
import { Random, seedOf } from './random.ts';
import { randomRows, type Row } from './rows.ts';

/** How connections to the services fare on their way: see the proxy. */
export const CUTS = ['reset', 'hang', 'half-open'] as const;
export type Cut = (typeof CUTS)[number];

export type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGINT';

export type Deed =
  /** One of the commands is ended and, after a while, typed again. `twice`: the signal comes again, as Ctrl-C Ctrl-C. */
  | {
      readonly do: 'end';
      readonly whom: string;
      readonly signal: Signal;
      readonly twice: boolean;
      readonly againMs: number;
    }
  /** The Temporal server is killed. The embedded one comes back by itself. */
  | { readonly do: 'kill-temporal'; readonly againMs: number }
  | { readonly do: 'restart-services'; readonly signal: Signal; readonly againMs: number }
  | { readonly do: 'faults'; readonly rules: readonly FaultRule[]; readonly forMs: number }
  | { readonly do: 'cut'; readonly cut: Cut; readonly forMs: number }
  | { readonly do: 'freeze'; readonly whom: string; readonly forMs: number }
  | { readonly do: 'pause'; readonly campaign: string; readonly forMs: number }
  /** A power cut: all processes at once. */
  | { readonly do: 'kill-all'; readonly againMs: number };

export type Event = Deed & { readonly atMs: number };

export interface Plan {
  readonly seed: number;
  readonly round: number;
  /** `embedded`: the commands share a server of their own. `elsewhere`: a server apart, with two `worker`s. */
  readonly scenario: 'embedded' | 'elsewhere';
  /** Whether `run` works itself, beside the `worker`s; with an embedded server it must. */
  readonly ownWorker: boolean;
  readonly service: {
    /** Jobs in a window that we may send to the prediction service. */
    readonly limit: number;
    /** The same for the molecule service; null: no limit. */
    readonly moleculeLimit: number | null;
    readonly windowMs: number;
    /** False: the service takes whatever comes, and only its journal tells whether we kept to the budget. */
    readonly enforced: boolean;
    readonly jobMs: number;
    readonly concurrency: number;
    readonly retryAfterSeconds: number;
  };
  readonly campaigns: readonly { readonly name: string; readonly rows: readonly Row[] }[];
  readonly files: Readonly<Record<string, string>>;
  readonly events: readonly Event[];
}

/** Names of the commands that a plan speaks of. */
export const runOf = (campaign: string): string => `run ${campaign}`;
export const WORKERS = ['worker 1', 'worker 2'] as const;

const STORM_MS = 24_000;

const DEEDS: Readonly<Record<Deed['do'], number>> = {
  end: 5,
  'kill-temporal': 1.5,
  'restart-services': 1.5,
  faults: 9,
  cut: 2,
  freeze: 1.5,
  pause: 1,
  'kill-all': 0.7,
};

export function planRound(seed: number, round: number): Plan {
  const random = new Random(seedOf(seed, round));
  const scenario = random.chance(0.7) ? 'embedded' : 'elsewhere';
  const names = random.chance(0.5) ? ['a'] : ['a', 'b'];
  const rows = names.map((name) => {
    const [from, to] = names.length === 1 ? [20, 60] : [12, 32];
    return { name, ...randomRows(random, name, random.int(from, to)) };
  });
  return {
    ...{ seed, round, scenario },
    ownWorker: scenario === 'embedded' || random.chance(0.5),
    service: {
      limit: 10,
      moleculeLimit: random.chance(0.5) ? 8 : null,
      windowMs: 4_000,
      enforced: random.chance(0.6),
      jobMs: random.pick([100, 300, 1_000]),
      concurrency: 6,
      retryAfterSeconds: random.pick([0, 1]),
    },
    campaigns: rows.map(({ name, rows: own }) => ({ name, rows: own })),
    files: Object.assign({}, ...rows.map(({ files }) => files)) as Record<string, string>,
    events: randomEvents(random, scenario, names),
  };
}

function randomEvents(
  random: Random,
  scenario: Plan['scenario'],
  campaigns: readonly string[],
): Event[] {
  const commands = [...campaigns.map(runOf), ...(scenario === 'elsewhere' ? WORKERS : [])];
  return Array.from({ length: random.int(4, 12) }, () => ({
    // Some while everything is still starting, most when jobs are on their way.
    atMs: random.chance(0.15) ? random.int(0, 2_500) : random.int(2_500, STORM_MS),
    ...randomDeed(random, commands, campaigns),
  })).sort((one, other) => one.atMs - other.atMs);
}

function randomDeed(
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
    case 'cut':
      return { do: deed, cut: random.pick(CUTS), forMs: random.int(300, 5_000) };
    case 'freeze':
      return { do: deed, whom: random.pick(commands), forMs: random.int(500, 8_000) };
    case 'pause':
      return { do: deed, campaign: random.pick(campaigns), forMs: random.int(500, 6_000) };
  }
}
