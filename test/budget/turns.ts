/**
 * Checks naively that turns are fair: two lanes that continuously wait for the same slots get equally many, and no lane
 * that could be served is passed over for long.
 */
import { Broken } from './naive.ts';

export interface LaneName {
  readonly campaign: string;
  readonly credential: string;
}

interface Waiter extends LaneName {
  /** Turns taken and not given back. */
  served: number;
  /** Turns of others, by name, while this one could have been served, since its last. */
  readonly overtakenBy: Map<string, number>;
  /** For each rival, by name: both served counts at the start of the rivalry. */
  readonly rivals: Map<string, { readonly own: number; readonly theirs: number }>;
}

const nameOf = ({ campaign, credential }: LaneName): string => `${campaign} with ${credential}`;

export class Turns {
  readonly #lanes = new Map<string, Waiter>();
  /** Turns given back, by lane: they may be used again at any time. */
  readonly #returns = new Map<string, number>();

  /** The lanes that wait and are not paused now; a lane that was not among them a moment ago starts afresh. */
  waiting(now: readonly LaneName[]): void {
    const names = new Set(now.map(nameOf));
    for (const name of this.#lanes.keys()) if (!names.has(name)) this.#leave(name);
    for (const lane of now) if (!this.#lanes.has(nameOf(lane))) this.#join(lane);
  }

  /** A lane gives a turn back: its request was sent back. */
  returned(lane: LaneName): void {
    const waiter = this.#lanes.get(nameOf(lane));
    if (waiter) waiter.served -= 1;
    this.#returns.set(nameOf(lane), this.#returnsOf(lane) + 1);
    // It will get that turn again, before others: they are fairly passed over once more.
    for (const other of this.#lanes.values()) other.overtakenBy.clear();
  }

  /** A lane has a turn, while those of `open` could have had it as well. */
  taken(lane: LaneName, open: readonly LaneName[]): void {
    const chosen = this.#lanes.get(nameOf(lane));
    if (!chosen) throw new Broken('only who waits is served', `${nameOf(lane)} had nobody waiting`);
    chosen.served += 1;
    this.#checkShare(chosen);
    for (const other of open) this.#passOver(other, chosen);
    chosen.overtakenBy.clear();
  }

  #checkShare(chosen: Waiter): void {
    for (const [name, start] of chosen.rivals) {
      const rival = this.#lanes.get(name);
      if (!rival) continue;
      const ahead = chosen.served - start.own - (rival.served - start.theirs);
      // A round of each, plus the returned turns that may be used again.
      if (ahead <= 2 + this.#returnsOf(chosen) + this.#returnsOf(rival)) continue;
      throw new Broken(
        'campaigns get equally many slots',
        `${nameOf(chosen)} is ${ahead} turns ahead of ${name}`,
      );
    }
  }

  #passOver(lane: LaneName, chosen: Waiter): void {
    const waiter = this.#lanes.get(nameOf(lane));
    if (!waiter || waiter.credential === chosen.credential) return;
    const times = (waiter.overtakenBy.get(nameOf(chosen)) ?? 0) + 1;
    waiter.overtakenBy.set(nameOf(chosen), times);
    // Its own round, that of a lane that it was level with when it joined, and one turn for rounding.
    if (times <= 3 + this.#returnsOf(chosen)) return;
    throw new Broken(
      'nobody is passed over for long',
      `${nameOf(chosen)} was served ${times} times while ${nameOf(waiter)} could have been`,
    );
  }

  /** It cannot be served at the moment: being passed over is not counted. */
  closed(lane: LaneName): void {
    const waiter = this.#lanes.get(nameOf(lane));
    waiter?.overtakenBy.clear();
  }

  #returnsOf(lane: LaneName): number {
    return this.#returns.get(nameOf(lane)) ?? 0;
  }

  #join(lane: LaneName): void {
    const waiter: Waiter = { ...lane, served: 0, overtakenBy: new Map(), rivals: new Map() };
    for (const [name, other] of this.#lanes) {
      if (other.credential !== lane.credential) continue;
      waiter.rivals.set(name, { own: 0, theirs: other.served });
      other.rivals.set(nameOf(lane), { own: other.served, theirs: 0 });
    }
    this.#lanes.set(nameOf(lane), waiter);
  }

  #leave(name: string): void {
    this.#lanes.delete(name);
    for (const other of this.#lanes.values()) {
      other.rivals.delete(name);
      other.overtakenBy.delete(name);
    }
  }
}
