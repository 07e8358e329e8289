/** The events of a round with their times, as text: for the analysis of failures. */
import type { Typed } from '../cli/command.ts';

interface Happening {
  /** ms since the start of the round's first command. */
  readonly atMs: number;
  readonly what: string;
}

/** When a condition that excuses anomalies held: both ends in ms since the epoch. */
interface Spell {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

export class Chronicle {
  /** ms since the epoch */
  readonly startedAt = Date.now();
  readonly happenings: Happening[] = [];
  readonly spells: Spell[] = [];
  readonly commands: { readonly name: string; readonly typed: Typed; readonly at: number }[] = [];
  readonly #open = new Map<string, number>();

  get nowMs(): number {
    return Date.now() - this.startedAt;
  }

  note(what: string): void {
    this.happenings.push({ atMs: this.nowMs, what });
  }

  typed(name: string, typed: Typed): void {
    this.commands.push({ name, typed, at: Date.now() });
    this.note(`typed: ${name} (process ${typed.pid})`);
  }

  /** The condition holds from now on. */
  begin(what: string): void {
    if (!this.#open.has(what)) this.#open.set(what, Date.now());
  }

  end(what: string): void {
    const from = this.#open.get(what);
    if (from === undefined) return;
    this.#open.delete(what);
    this.spells.push({ what, from, to: Date.now() });
  }

  /** Whether it held at any time between the two, or within `graceMs` before. */
  was(what: string, from: number, to: number, graceMs = 0): boolean {
    const since = this.#open.get(what);
    if (since !== undefined && since <= to) return true;
    return this.spells.some((s) => s.what === what && s.from <= to && s.to >= from - graceMs);
  }
}
