/**
 * What a round will do, derived from its seed before it starts: plain data, so that the same seed gives the same storm
 * and a failing one can be read. A kind targets one weakness; a storm mixes everything that must recover with time
 * alone. Times are ms since the start of the round's first command in a storm, and since the first submission in the
 * other kinds.
 */
import { ask, HOST, randomDeed, TEMPORAL, type Deed, type Event } from './deeds.ts';
import { PLUGINS, type PluginName } from './plugin-service.ts';
import { Random, seedOf } from './random.ts';
import { randomRows, type Row } from './rows.ts';

interface Shape {
  readonly weight: number;
  /** Rows of all campaigns together. */
  readonly rows: readonly [number, number];
  /** Default: one or two. */
  readonly campaigns?: number;
  /** With one server for two folders they would be one folder for it. */
  readonly embedded?: true;
}

export const KINDS = {
  /** Faults, kills, cuts and freezes at random times. */
  storm: { weight: 5, rows: [20, 60] },
  /** The tree, or an item of it, is removed while the campaign runs. */
  removed: { weight: 1.5, rows: [16, 30] },
  /** Freezes and kills around the moments at which slots become free, and a second command that has joined. */
  edges: { weight: 3, rows: [40, 60], campaigns: 2 },
  /** The clock is set forward and back. */
  clocks: { weight: 1.5, rows: [24, 44] },
  /** Two working folders, one credential. */
  credential: { weight: 1.5, rows: [28, 48], campaigns: 2, embedded: true },
  /** The embedded server's folder is removed in the middle of a window. */
  forgotten: { weight: 1.5, rows: [18, 26], embedded: true },
} as const satisfies Readonly<Record<string, Shape>>;
export type RoundKind = keyof typeof KINDS;

export interface PlannedCampaign {
  readonly name: string;
  readonly rows: readonly Row[];
  /** The working folder of its command, below the round's: see `FOLDERS`. */
  readonly folder: string;
}

/** Working folders, below the round's own. */
export const FOLDERS = { first: '.', second: 'second' } as const;

/** Names of the commands that a plan speaks of. */
export const runOf = (campaign: string): string => `run ${campaign}`;
export const WORKERS = ['worker 1', 'worker 2'] as const;

/** Engines of the user's own beside the prediction service, as a command that is killed like the others. */
export const LANE = 'lane';
const LANE_SHARE = 0.35;

interface PlanOptions {
  /** Freezes of up to 30 s, which make a round last longer than a minute. */
  readonly long: boolean;
  /** This kind, instead of a random one. */
  readonly kind?: RoundKind;
}

export type Plan = ReturnType<typeof planRound>;

export function planRound(seed: number, round: number, options: PlanOptions) {
  const random = new Random(seedOf(seed, round));
  const chosen = random.weighted(
    Object.fromEntries(Object.entries(KINDS).map(([name, { weight }]) => [name, weight])),
  ) as RoundKind;
  const kind = options.kind ?? chosen;
  const shape: Shape = KINDS[kind];
  const isElsewhere = random.chance(0.3) && !shape.embedded;
  /**
   * `embedded`: the commands share their own server, and all of them have the same clock. `elsewhere`: a separate
   * server, with its own clock, and two `worker`s.
   */
  const scenario = isElsewhere ? ('elsewhere' as const) : ('embedded' as const);
  const plugin = random.pick(Object.keys(PLUGINS) as PluginName[]);
  const made = ['a', 'b']
    .slice(0, shape.campaigns ?? random.int(1, 2))
    .map((name, n, { length }) => {
      const own = randomRows(random, plugin, name, Math.ceil(random.int(...shape.rows) / length));
      const folder: string = kind === 'credential' && n > 0 ? FOLDERS.second : FOLDERS.first;
      return { name, folder, ...own };
    });
  const campaigns: readonly PlannedCampaign[] = made;
  const runs = campaigns.map(({ name }) => runOf(name));
  const commands = [...(isElsewhere ? WORKERS : []), ...runs];
  const events = EVENTS[kind](random, { scenario, campaigns, commands, long: options.long });
  // Drawn from a seed of its own: the other choices of a round are the same with and without it.
  const lane = planLane(new Random(seedOf(seed + 1, round)), kind);
  return {
    seed,
    round,
    kind,
    scenario,
    campaigns,
    /** Whose service is the third one. */
    plugin,
    /** Whether `run` works itself, beside the `worker`s; with an embedded server it must. */
    ownWorker: !isElsewhere || random.chance(0.5),
    service: {
      /** Jobs per window that we may send to the prediction service. */
      limit: 10,
      /** The same for the molecule service; null: no limit. */
      moleculeLimit: random.chance(0.5) ? 8 : null,
      windowMs: windowMsOf(kind),
      /** False: the service accepts everything, and only its journal shows whether we kept to the budget. */
      enforced: random.chance(0.6),
      jobMs: random.pick([100, 300, 1_000]),
      concurrency: 6,
      retryAfterSeconds: random.pick([0, 1]),
    },
    files: Object.assign({}, ...made.map(({ files }) => files)) as Readonly<Record<string, string>>,
    lane: lane && { engines: lane.engines, jobMs: lane.jobMs },
    events: [...events, ...(lane?.events ?? [])].sort((one, other) => one.atMs - other.atMs),
  };
}

/** Null: the service is alone. With clocks it would be on a machine of its own. */
function planLane(random: Random, kind: RoundKind) {
  if (!random.chance(LANE_SHARE) || kind === 'clocks') return null;
  const events = times(random.int(0, 2), (): Event => {
    const signal = random.pick(['SIGTERM', 'SIGKILL'] as const);
    const againMs = random.int(0, 8_000);
    return {
      atMs: random.int(2_500, 15_000),
      do: 'end',
      whom: LANE,
      signal,
      twice: false,
      againMs,
    };
  });
  return { engines: random.int(1, 3), jobMs: random.pick([100, 500, 1_500]), events };
}

/** Short, so that a round has many, unless one must last until everything has restarted. */
const windowMsOf = (kind: RoundKind): number => (kind === 'forgotten' ? 12_000 : 4_000);

/** The parameters for the events of a kind. */
interface Cast {
  readonly scenario: 'embedded' | 'elsewhere';
  readonly campaigns: readonly PlannedCampaign[];
  /** The commands that work: `run` and `worker`. */
  readonly commands: readonly string[];
  readonly long: boolean;
}

const STORM_MS = 24_000;

const EVENTS: Readonly<Record<RoundKind, (random: Random, cast: Cast) => Event[]>> = {
  storm(random, { commands, campaigns }) {
    const names = campaigns.map(({ name }) => name);
    return times(random.int(4, 12), () => ({
      // Some while everything is still starting, most when jobs are in progress.
      atMs: random.chance(0.15) ? random.int(0, 2_500) : random.int(2_500, STORM_MS),
      ...randomDeed(random, commands, names),
    }));
  },
  removed(random, { campaigns }) {
    return times(random.int(1, 2), () => {
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
    const hits = times(random.int(2, 3), (n) => ({
      atMs: 500 + n * 4_500 + random.int(0, 3_000),
      edgeMs: random.int(-2_500, 500),
      ...freezeOrKill(random, cast),
    }));
    const questions = times(4, (n) => ({ atMs: n * 3_000 + random.int(0, 3_000), ...ask(random) }));
    return [...hits, ...questions];
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
  credential(random, { commands }) {
    return times(random.int(0, 3), () => {
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
    const when = { atMs: random.int(0, 8_000), edgeMs: random.int(-11_500, -8_000) };
    return [{ ...when, do: 'forget', againMs: random.int(100, 1_000) }];
  },
};

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

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
