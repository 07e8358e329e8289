/** A command that is restarted whenever it was ended, as by its user. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Ended, Typed } from '../cli/command.ts';
import type { Chronicle } from './chronicle.ts';
import type { Signal } from './deeds.ts';

/** How one run of a command ended. */
export interface Ending {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly ended: Ended;
  /** The signals it received. */
  readonly told: readonly Signal[];
}

/** Two presses of Ctrl-C closer than half a second count as one. */
const SECOND_PRESS_MS = 700;
/** A user reads the message before running it again. */
const READ_MS = 1_000;

export class Actor {
  readonly name: string;
  readonly endings: Ending[] = [];
  typed: Typed | null = null;
  readonly #type: () => Typed;
  readonly #chronicle: Chronicle;
  /** Ends by itself when its work is done; the others keep running. */
  readonly #finishes: boolean;
  readonly #heed: (ended: Ended) => Promise<unknown>;
  #told: Signal[] = [];
  #notBefore = 0;
  /** The number of pending kills: it is not restarted before they are done. */
  #held = 0;
  #retired = false;
  #life: Promise<void> | null = null;

  /** @param heed follows the advice in the command's output before it is restarted */
  constructor(
    name: string,
    type: () => Typed,
    chronicle: Chronicle,
    finishes: boolean,
    heed: (ended: Ended) => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.name = name;
    this.#type = type;
    this.#chronicle = chronicle;
    this.#finishes = finishes;
    this.#heed = heed;
  }

  get pid(): number | null {
    return this.typed?.running === true ? this.typed.pid : null;
  }

  /** It has ended by itself, and is not restarted. */
  get isOver(): boolean {
    return this.#life === null;
  }

  start(): void {
    this.#life ??= this.#live().finally(() => {
      this.#life = null;
    });
  }

  /** Returns when it has ended by itself. */
  async finished(): Promise<void> {
    await this.#life;
  }

  /** Sends a signal, and restarts the command `againMs` after its end, and not before `ready`. */
  async end(
    signal: Signal,
    againMs: number,
    twice = false,
    ready: Promise<unknown> = Promise.resolve(),
  ): Promise<void> {
    this.#held += 1;
    try {
      await Promise.all([this.#end(signal, againMs, twice), ready]);
    } finally {
      this.#held -= 1;
    }
  }

  async #end(signal: Signal, againMs: number, twice: boolean): Promise<void> {
    const { typed } = this;
    if (!typed?.running) {
      this.#chronicle.note(`${this.name} does not run`);
      return;
    }
    this.#notBefore = Number.POSITIVE_INFINITY;
    this.send(signal);
    if (twice) {
      await Promise.race([typed.ended, delay(SECOND_PRESS_MS)]);
      if (this.pid !== null) this.send(signal);
    }
    await typed.ended;
    this.#notBefore = Date.now() + againMs;
  }

  send(signal: Signal): void {
    this.#chronicle.note(`${signal} to ${this.name}`);
    this.#told.push(signal);
    this.typed?.kill(signal);
  }

  /** It is not restarted. */
  abandon(): void {
    this.#retired = true;
  }

  /** Ends it permanently, in order. */
  async retire(): Promise<void> {
    this.abandon();
    if (this.typed?.running === true) this.send('SIGTERM');
    await this.#life;
  }

  async #live(): Promise<void> {
    while (this.#stays()) {
      const startedAt = Date.now();
      const typed = this.#type();
      this.typed = typed;
      this.#told = [];
      this.#notBefore = 0;
      this.#chronicle.typed(this.name, typed);
      const ended = await typed.ended;
      const endedAt = Date.now();
      const told = this.#told;
      this.#chronicle.note(`${this.name} ended: ${String(ended.code ?? ended.signal)}`);
      this.endings.push({ name: this.name, startedAt, endedAt, ended, told });
      if (this.#finishes && (ended.code === 0 || ended.code === 3)) return;
      if (told.length === 0) await delay(READ_MS);
      await this.#heed(ended);
      while (this.#waits() && this.#stays()) await delay(50);
    }
  }

  #waits(): boolean {
    return this.#held > 0 || Date.now() < this.#notBefore;
  }

  /** Read each time: it may be abandoned at any moment. */
  #stays(): boolean {
    return !this.#retired;
  }
}
