/** The kinds of rounds. A kind targets one weakness; a storm mixes everything that must recover with time alone. */
import type { FaultRule } from '../../src/local-services/faults.ts';
import { HOST, randomDeed, TEMPORAL, type Deed, type Event } from './deeds.ts';
import type { Random } from './random.ts';
import type { Row } from './rows.ts';

/** The kinds, and their frequencies. */
export const KINDS = {
  /** Faults, kills, cuts and freezes at random times. */
  storm: 5,
  /** A used name is used again: in another folder, after its tree or one item of it was removed. */
  names: 2,
  /** The tree, or an item of it, is removed while the campaign runs. */
  removed: 1.5,
  /** Freezes and kills around the moments at which slots become free, with constant queries. */
  edges: 3,
  /** The clock is set forward and back. */
  clocks: 1.5,
  /** Two working folders, one output tree. */
  tree: 1,
  /** Two working folders, one credential. */
  credential: 1.5,
  /** The embedded server's folder is removed in the middle of a window. */
  forgotten: 1.5,
  /** A kill in the first burst of molecules: the campaign must end by itself. */
  burst: 1,
  /** Budgets are terminated by hand while workers on two hosts, each with a ledger of its own, work for them. */
  terminated: 1.5,
} as const;
export type RoundKind = keyof typeof KINDS;

/** What is done with a used name, once its campaign has ended. */
export interface Encore {
  readonly how: (typeof ENCORES)[number];
  /** The row whose folder is removed, for `item-removed`. */
  readonly item: string | null;
  /** kill -9 this long after its start, and restarted; null: never. */
  readonly killedAfterMs: number | null;
}

export const ENCORES = [
  /** Run with another output folder. */
  'elsewhere',
  /** Run again after `rm -rf results`. */
  'out-removed',
  /** Run with --no-cache after the campaign's tree was removed, and the cache was not. */
  'no-cache',
  /** Run again after one item's folder was removed. */
  'item-removed',
] as const;

/** The parameters for the events of a kind. */
interface Cast {
  readonly scenario: 'embedded' | 'elsewhere';
  readonly campaigns: readonly { readonly name: string; readonly rows: readonly Row[] }[];
  /** The commands that work: `run` and `worker`. */
  readonly commands: readonly string[];
  /** Freezes may last up to 30 s. */
  readonly long: boolean;
}

const STORM_MS = 24_000;

/** The length of the window: short, so that a round has many, unless one must last until everything has restarted. */
export const windowMsOf = (kind: RoundKind): number => (kind === 'forgotten' ? 12_000 : 4_000);

/** How many rows each campaign of a kind has: one number for a single campaign, one for each of two. */
export const SIZES: Readonly<
  Record<RoundKind, { alone: [number, number]; each: [number, number] }>
> = {
  storm: { alone: [20, 60], each: [12, 32] },
  names: { alone: [8, 14], each: [8, 14] },
  removed: { alone: [16, 30], each: [10, 16] },
  edges: { alone: [40, 60], each: [20, 30] },
  clocks: { alone: [24, 44], each: [14, 22] },
  tree: { alone: [24, 40], each: [24, 40] },
  credential: { alone: [14, 24], each: [14, 24] },
  forgotten: { alone: [18, 26], each: [9, 13] },
  burst: { alone: [28, 40], each: [28, 40] },
  terminated: { alone: [20, 36], each: [12, 18] },
};

export function randomEvents(random: Random, kind: RoundKind, cast: Cast): Event[] {
  return EVENTS[kind](random, cast).sort((one, other) => one.atMs - other.atMs);
}

const EVENTS: Readonly<Record<RoundKind, (random: Random, cast: Cast) => Event[]>> = {
  storm(random, { commands, campaigns }) {
    const names = campaigns.map(({ name }) => name);
    return Array.from({ length: random.int(4, 12) }, () => ({
      // Some while everything is still starting, most when jobs are in progress.
      atMs: random.chance(0.15) ? random.int(0, 2_500) : random.int(2_500, STORM_MS),
      ...randomDeed(random, commands, names),
    }));
  },
  names: () => [],
  removed(random, { campaigns }) {
    return Array.from({ length: random.int(1, 2) }, () => {
      const { name, rows } = random.pick(campaigns);
      return {
        atMs: random.int(500, 6_000),
        do: 'remove' as const,
        campaign: name,
        item: random.chance(0.6) ? random.pick(rows).id : null,
        signal: random.pick(['SIGTERM', 'SIGKILL'] as const),
        againMs: random.int(0, 2_000),
      };
    });
  },
  edges(random, cast) {
    // One after the other: a frozen process cannot be killed at its own edge.
    const count = random.int(2, 3);
    return Array.from({ length: count }, (_, n) => ({
      atMs: 500 + n * 4_500 + random.int(0, 3_000),
      edgeMs: random.int(-2_500, 500),
      ...freezeOrKill(random, cast),
    }));
  },
  clocks(random, { scenario }) {
    // A server elsewhere whose clock is set back by an hour stops for that hour: docs/reliability.md.
    const survived = scenario === 'elsewhere' ? [10, -10] : [10, 3_600, -10, -3_600];
    const first = random.pick(survived);
    const steps = random.chance(0.4) ? [first, 0] : [first];
    return steps.map((offsetS, n) => ({
      atMs: 500 + n * 7_000 + random.int(0, 3_000),
      edgeMs: random.int(-windowMsOf('clocks'), 500),
      do: 'set-clock' as const,
      offsetS,
    }));
  },
  tree(random, { commands }) {
    if (random.chance(0.5)) return [];
    const [whom = ''] = commands;
    const deed = { do: 'end' as const, whom, signal: 'SIGKILL' as const, twice: false };
    return [{ atMs: random.int(500, 6_000), ...deed, againMs: random.int(1_000, 6_000) }];
  },
  credential(random, { commands }) {
    return Array.from({ length: random.int(0, 3) }, () => {
      const whom = random.pick(commands);
      const signal = random.pick(['SIGKILL', 'SIGTERM'] as const);
      const deed: Deed = random.chance(0.6)
        ? { do: 'end', whom, signal, twice: false, againMs: random.int(0, 3_000) }
        : { do: 'freeze', whom: [whom], forMs: random.int(500, 3_000) };
      return { atMs: random.int(500, 10_000), edgeMs: random.int(-3_500, 500), ...deed };
    });
  },
  forgotten(random) {
    // In the middle of a window: slots are charged, and none is free for a while.
    const events = [{ atMs: random.int(0, 8_000), edgeMs: random.int(-11_500, -8_000) }];
    return events.map((event) => ({ ...event, do: 'forget', againMs: random.int(100, 1_000) }));
  },
  burst(random) {
    return [{ atMs: random.int(0, SLOW_MS / 2), do: 'kill-all', againMs: random.int(0, 3_000) }];
  },
  terminated(random, { commands }) {
    return Array.from({ length: random.chance(0.3) ? 2 : 1 }, (_, n) => {
      // A worker that was suspended before the end of the budget, and resumes after it, sends nothing more.
      const freeze: Deed = {
        do: 'freeze',
        whom: [random.pick(commands.slice(0, 2))],
        forMs: random.int(500, 9_000),
      };
      const when = { atMs: n * 6_000 + random.int(0, 4_000), edgeMs: random.int(-1_000, 200) };
      const frozen = random.chance(0.5) ? [{ ...when, ...freeze }] : [];
      return [...frozen, { ...when, do: 'terminate-budgets' as const }];
    }).flat();
  },
};

/** As in fault-menu.ts: shorter than the detection of a dead worker. */
const SLOW_MS = 2_000;

/** In force before the first command starts: a kill meets the whole burst. */
export function faultsAtStart(kind: RoundKind): FaultRule[] {
  const slow = { name: 'slow', service: 'molecules', endpoint: 'submit', ms: SLOW_MS } as const;
  if (kind === 'burst') return [slow];
  // Submissions are in progress when their budget ends.
  return kind === 'terminated' ? [{ name: 'slow', endpoint: 'submit', ms: 1_000 }] : [];
}

function freezeOrKill(random: Random, { scenario, commands, long }: Cast): Deed {
  // The working one has the workflows' sticky queues.
  const works = scenario === 'embedded' ? HOST : (commands[0] ?? '');
  const whom = random.chance(0.8) ? works : random.pick(commands);
  if (random.chance(0.35))
    return { do: 'end', whom, signal: 'SIGKILL', twice: false, againMs: random.int(500, 4_000) };
  // Most as long as a workflow task waits for its sticky worker; some longer than any timeout of the server.
  const most = long ? 30_000 : 9_000;
  const forMs = random.chance(0.6) ? random.int(500, 4_000) : random.int(4_000, most);
  return { do: 'freeze', whom: random.pick([[TEMPORAL], [whom], [TEMPORAL, whom]]), forMs };
}

export function randomEncores(random: Random, kind: RoundKind, rows: readonly Row[]): Encore[] {
  if (kind !== 'names') return [];
  const left: (typeof ENCORES)[number][] = [...ENCORES];
  return Array.from({ length: 2 }, () => {
    const how = random.pick(left);
    left.splice(left.indexOf(how), 1);
    const item = how === 'item-removed' ? random.pick(rows).id : null;
    const killedAfterMs = random.chance(0.25) ? random.int(2_000, 5_000) : null;
    return { how, item, killedAfterMs };
  });
}
