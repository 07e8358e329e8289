/** Keeps the clocks of a round as planned, also those of processes that start later. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setClockOffset } from './clock.ts';

const LOOK_EVERY_MS = 20;
/** A server takes longer than this to read its database and to set its first timer. */
const IN_TIME_MS = 150;

export class Clocks {
  /** The processes with this clock. */
  readonly #whose: () => readonly number[];
  readonly #set = new Map<number, number>();
  #offsetS = 0;
  #steppedAt = 0;
  #late: string | null = null;
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
    this.#steppedAt = performance.now();
  }

  /**
   * A process that started with the clock of the machine, and got its own only while it worked; null if none did. The
   * others see no step then, which cannot happen where all share one clock: a server that steps alone stands still.
   */
  get late(): string | null {
    return this.#late;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #keep(): Promise<void> {
    while (!this.#stopped) {
      for (const pid of this.#whose()) {
        const before = this.#set.get(pid) ?? 0;
        if (before === this.#offsetS) continue;
        if (!(await setClockOffset(pid, this.#offsetS))) continue;
        this.#set.set(pid, this.#offsetS);
        this.#noteAge(pid);
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  #noteAge(pid: number): void {
    const age = ageMs(pid);
    const startedBefore = performance.now() - age < this.#steppedAt;
    if (startedBefore || age <= IN_TIME_MS) return;
    this.#late ??= `process ${pid} got its clock ${age.toFixed(0)} ms after its start`;
  }
}

/** Linux counts the start of a process in ticks of 10 ms since the machine started. */
const TICK_MS = 10;

/** How long a process has existed, in ms; 0 if it has ended. */
function ageMs(pid: number): number {
  try {
    const started = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    const uptimeS = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    return 1_000 * uptimeS - TICK_MS * Number(started);
  } catch {
    return 0;
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
