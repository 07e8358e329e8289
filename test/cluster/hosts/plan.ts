/** What happens to the hosts in one round: derived from a seed, so that a round can be repeated. */
import { Random, seedOf } from '../../chaos/random.ts';
import { HOSTS, PLACES, type HostName, type PlaceName } from './lab.ts';

export const SCENARIOS = ['partitions', 'kills', 'clocks', 'bad-links', 'all'] as const;
export type Scenario = (typeof SCENARIOS)[number];

export type Event = { readonly atMs: number } & (
  | {
      readonly do: 'cut';
      readonly one: PlaceName;
      readonly other: PlaceName;
      readonly forMs: number;
    }
  | { readonly do: 'kill'; readonly what: Killed; readonly awayMs: number }
  | { readonly do: 'disturb'; readonly whom: PlaceName; readonly forMs: number }
);
type Killed = 'worker 0' | 'worker 1' | 'worker 2' | 'worker 3' | Part;
type Part = 'temporal' | 'database' | 'store' | 'services';

export interface Plan {
  readonly seed: number;
  readonly round: number;
  readonly scenario: Scenario;
  /** Rows of each of the two users. */
  readonly sequences: number;
  readonly molecules: number;
  /** Offsets of the hosts' clocks in seconds. */
  readonly clocks: Readonly<Partial<Record<HostName, number>>>;
  readonly events: readonly Event[];
}

interface PlanOptions {
  readonly scenario?: Scenario;
  /** For `npm test`: fewer rows, shorter faults. */
  readonly short?: boolean;
}

/** Loses one packet in twenty, and delays each by 200 ms. */
export const BAD_LINK = { loss: 0.05, delayMs: 200 };

export function planRound(seed: number, round: number, options: PlanOptions = {}): Plan {
  const random = new Random(seedOf(seed, round));
  const scenario = options.scenario ?? SCENARIOS[round % SCENARIOS.length] ?? 'all';
  const short = options.short ?? false;
  const [sequences, molecules] = short ? [10, 4] : [random.int(24, 40), random.int(8, 14)];
  const clocks = scenario === 'clocks' || scenario === 'all' ? randomClocks(random) : {};
  const events = eventsOf(random, scenario, short).sort((one, other) => one.atMs - other.atMs);
  return { seed, round, scenario, sequences, molecules, clocks, events };
}

/** Within what an object store accepts (15 minutes). */
function randomClocks(random: Random): Plan['clocks'] {
  const offsets = HOSTS.map((host) => [host, random.pick([-420, -180, 0, 90, 300])]);
  return Object.fromEntries(offsets) as Plan['clocks'];
}

function eventsOf(random: Random, scenario: Scenario, short: boolean): Event[] {
  const spanMs = short ? 6_000 : 30_000;
  const atMs = (): number => random.int(1_000, spanMs);
  const cut = (): Event => {
    // Mostly two that communicate. Hosts never do: disconnecting them from each other changes nothing.
    const one = random.chance(0.8) ? random.pick(HOSTS) : random.pick(PLACES);
    const others = PLACES.filter((place) => place !== one && !isHost(place));
    const other = random.pick(others);
    const forMs = short ? 5_000 : random.int(5_000, 40_000);
    return { atMs: atMs(), do: 'cut', one, other, forMs };
  };
  const kill = (): Event => {
    const workers = ['worker 0', 'worker 1', 'worker 2', 'worker 3'] as const;
    const parts = ['temporal', 'database', 'store', 'services'] as const;
    const what = random.chance(0.5) ? random.pick(workers) : random.pick(parts);
    return { atMs: atMs(), do: 'kill', what, awayMs: random.int(0, short ? 2_000 : 10_000) };
  };
  const disturbed = new Set<PlaceName>();
  const disturb = (): Event => {
    const forMs = short ? 5_000 : random.int(15_000, 40_000);
    // Each link once: two faults of one would end with the first.
    const whom = random.pick(PLACES.filter((place) => !disturbed.has(place)));
    disturbed.add(whom);
    return { atMs: random.int(0, 5_000), do: 'disturb', whom, forMs };
  };
  const times = (n: number, make: () => Event): Event[] => Array.from({ length: n }, make);
  switch (scenario) {
    case 'partitions':
      return times(random.int(2, 4), cut);
    case 'kills':
      return times(random.int(2, 5), kill);
    case 'clocks':
      return [cut(), kill()];
    case 'bad-links':
      return times(random.int(1, 2), disturb);
    case 'all':
      return short ? [cut(), kill(), disturb()] : [...times(2, cut), ...times(3, kill), disturb()];
  }
}

function isHost(place: PlaceName): boolean {
  return (HOSTS as readonly PlaceName[]).includes(place);
}

export function wordsOf({ scenario, events, clocks, sequences, molecules }: Plan): string {
  const words = events.map((event) => {
    const at = `${(event.atMs / 1_000).toFixed(1)} s`;
    const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0)} s`;
    if (event.do === 'cut')
      return `${at}: cut ${event.one} from ${event.other} for ${seconds(event.forMs)}`;
    if (event.do === 'kill') return `${at}: kill -9 ${event.what}, away ${seconds(event.awayMs)}`;
    return `${at}: bad link of ${event.whom} for ${seconds(event.forMs)}`;
  });
  const offsets = Object.entries(clocks).map(([host, offset]) => `clock of ${host} ${offset} s`);
  return `${scenario}, 2 x (${sequences} sequences, ${molecules} molecules), ${[...offsets, ...words].join(', ')}`;
}
