/** What happens to the hosts in one round: derived from a seed, so that a round can be repeated. */
import { Random, seedOf } from '../../chaos/random.ts';
import { HOSTS, PLACES, type PlaceName } from './lab.ts';

export type Event = { readonly atMs: number; readonly forMs: number } & (
  | { readonly do: 'cut'; readonly one: PlaceName; readonly other: PlaceName }
  /** kill -9; it is started again after `forMs`. */
  | { readonly do: 'kill'; readonly what: (typeof WORKERS | typeof PARTS)[number] }
  /** One packet in twenty is lost, and each is delayed by 200 ms. */
  | { readonly do: 'disturb'; readonly whom: PlaceName }
);
const WORKERS = ['worker 0', 'worker 1', 'worker 2', 'worker 3'] as const;
const PARTS = ['temporal', 'database', 'store', 'services'] as const;

export type Plan = ReturnType<typeof planRound>;

/** @param short for the test: fewer rows, one fault of each kind, shorter ones */
export function planRound(seed: number, round: number, short = false) {
  const random = new Random(seedOf(seed, round));
  const atMs = (): number => random.int(1_000, short ? 6_000 : 30_000);
  const forMs = (): number => (short ? 5_000 : random.int(5_000, 40_000));
  const cut = (): Event => {
    // Two that communicate. Hosts never do: disconnecting them from each other changes nothing.
    const others = PLACES.filter((place) => !(HOSTS as readonly PlaceName[]).includes(place));
    const [one, other] = [random.pick(HOSTS), random.pick(others)];
    return { atMs: atMs(), do: 'cut', one, other, forMs: forMs() };
  };
  const kill = (): Event => {
    const what = random.chance(0.5) ? random.pick(WORKERS) : random.pick(PARTS);
    return { atMs: atMs(), do: 'kill', what, forMs: random.int(0, short ? 2_000 : 10_000) };
  };
  const disturb = (): Event => {
    return { atMs: random.int(0, 5_000), do: 'disturb', whom: random.pick(PLACES), forMs: forMs() };
  };
  const more = short ? [] : [cut, kill, kill].filter(() => random.chance(0.6));
  const events = [cut, kill, disturb, ...more].map((make) => make());
  const [sequences, molecules] = short ? [10, 4] : [random.int(24, 40), random.int(8, 14)];
  return { seed, round, sequences, molecules, events };
}

export function wordsOf({ events, sequences, molecules }: Plan): string {
  const words = events.map(({ atMs, forMs, ...event }) => {
    const what = Object.values(event).join(' ');
    return `${what} after ${(atMs / 1_000).toFixed(1)} s for ${(forMs / 1_000).toFixed(0)} s`;
  });
  return `2 x (${sequences} sequences, ${molecules} molecules), ${words.join(', ')}`;
}
