/** Checks naively that turns are fair: two campaigns that continuously wait get equally many slots. */
import { Broken } from './naive.ts';

interface Waiter {
  /** Turns taken and not given back. */
  served: number;
  /** For each rival, by campaign: both served counts at the start of the rivalry. */
  readonly rivals: Map<string, { readonly own: number; readonly theirs: number }>;
}

export class Turns {
  /** By campaign. */
  readonly #lines = new Map<string, Waiter>();
  /** Turns given back: they may be used again at any time. */
  readonly #returns = new Map<string, number>();

  /** The campaigns that wait and are not paused now; one that was not among them a moment ago starts afresh. */
  waiting(now: readonly string[]): void {
    for (const name of this.#lines.keys()) if (!now.includes(name)) this.#leave(name);
    for (const name of now) if (!this.#lines.has(name)) this.#join(name);
  }

  /** A campaign gives a turn back: its request was sent back. */
  returned(name: string): void {
    const waiter = this.#lines.get(name);
    if (waiter) waiter.served -= 1;
    this.#returns.set(name, this.#returnsOf(name) + 1);
  }

  /** A campaign has a turn. */
  taken(name: string): void {
    const chosen = this.#lines.get(name);
    if (!chosen) throw new Broken('only who waits is served', `${name} had nobody waiting`);
    chosen.served += 1;
    for (const [other, start] of chosen.rivals) {
      const rival = this.#lines.get(other);
      if (!rival) continue;
      const ahead = chosen.served - start.own - (rival.served - start.theirs);
      // A round of each, plus the returned turns that may be used again.
      if (ahead <= 2 + this.#returnsOf(name) + this.#returnsOf(other)) continue;
      throw new Broken(
        'campaigns get equally many slots',
        `${name} is ${ahead} turns ahead of ${other}`,
      );
    }
  }

  #returnsOf(name: string): number {
    return this.#returns.get(name) ?? 0;
  }

  #join(name: string): void {
    const waiter: Waiter = { served: 0, rivals: new Map() };
    for (const [other, rival] of this.#lines) {
      waiter.rivals.set(other, { own: 0, theirs: rival.served });
      rival.rivals.set(name, { own: rival.served, theirs: 0 });
    }
    this.#lines.set(name, waiter);
  }

  #leave(name: string): void {
    this.#lines.delete(name);
    for (const other of this.#lines.values()) other.rivals.delete(name);
  }
}
