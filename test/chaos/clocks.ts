/** Keeps the clocks of a round as planned, also those of processes that start later. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setClockOffset } from './clock.ts';

const POLL_INTERVAL_MS = 20;

export class Clocks {
  /** The processes with this clock. */
  readonly #whose: () => readonly number[];
  readonly #set = new Map<number, number>();
  #offsetS = 0;
  #stopped = false;
  readonly #loop: Promise<void>;

  constructor(whose: () => readonly number[]) {
    this.#whose = whose;
    this.#loop = this.#keep();
    // Reported by `stop`: an unhandled rejection would end the whole program.
    this.#loop.catch(() => undefined);
  }

  /** From now on they read this much later than the true time. */
  setTo(offsetS: number): void {
    this.#offsetS = offsetS;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #keep(): Promise<void> {
    while (!this.#stopped) {
      for (const pid of this.#whose()) {
        const before = this.#set.get(pid) ?? 0;
        if (before !== this.#offsetS && (await setClockOffset(pid, this.#offsetS)))
          this.#set.set(pid, this.#offsetS);
      }
      await delay(POLL_INTERVAL_MS);
    }
  }
}

/** Programs that it started and that run. Until a new process runs its program it is a copy of its parent. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const children = text.split(' ').map(Number);
    const own = commandLine(pid);
    return children.filter((child) => child > 0 && !['', own].includes(commandLine(child)));
  } catch {
    return [];
  }
}

const commandLine = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');
