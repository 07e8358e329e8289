/** CPU and memory of processes and their descendants, from /proc: other processes do not count. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Linux counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;
const SAMPLE_INTERVAL_MS = 250;
const SERVERS = /^(temporal|postgres|redis|valkey)/;

export interface Used {
  readonly seconds: number;
  /** Peak memory of all of them together, shared memory counted once (PSS). */
  readonly megabytes: number;
}

export interface Usage {
  readonly program: Used;
  readonly server: Used;
  /** The largest memory (MB) of both at one time: their peaks need not coincide. */
  readonly together: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly name: string;
  /** Ticks of its own and of those children that it has waited for. */
  readonly ticks: number;
  /** Since the start of the machine: distinguishes a process from a later one with the same id. */
  readonly startedAt: number;
}

/** The fields of /proc/PID/stat. The name may contain blanks and parentheses. */
function parseStat(text: string): Process {
  const end = text.lastIndexOf(')');
  const fields = text
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const at = (field: number): number => fields[field - 3] ?? 0;
  return {
    pid: Number.parseInt(text, 10),
    parent: at(4),
    session: at(6),
    name: text.slice(text.indexOf('(') + 1, end),
    ticks: at(14) + at(15) + at(16) + at(17),
    startedAt: at(22),
  };
}

/**
 * Adds up the usage of processes, from one sample of all of them to the next. The usage of an ended process is included
 * in its parent if that one waited for it; if the parent has ended too, its own last figure counts.
 */
class Family {
  readonly #roots: ReadonlySet<number>;
  #members = new Map<number, Process>();
  #endedTicks = { program: 0, server: 0 };

  constructor(roots: readonly number[]) {
    this.#roots = new Set(roots);
  }

  look(all: readonly Process[]): readonly Process[] {
    const now = new Map<number, Process>();
    const known = (pid: number): boolean => this.#roots.has(pid) || now.has(pid);
    // Parents come before their children: in the order of their starts.
    for (const process of all.toSorted((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)) {
      const before = this.#members.get(process.pid);
      const stays = before?.startedAt === process.startedAt;
      if (stays || known(process.pid) || known(process.parent) || this.#roots.has(process.session))
        now.set(process.pid, process);
    }
    for (const [pid, member] of this.#members) if (!now.has(pid)) this.#end(member, now);
    this.#members = now;
    return [...now.values()];
  }

  #end(member: Process, now: ReadonlyMap<number, Process>): void {
    const parent = now.get(member.parent);
    if (parent && roleOf(parent) === roleOf(member)) return;
    this.#endedTicks[roleOf(member)] += member.ticks;
    // If a program waited for its server, the server's time is included in its own.
    if (parent) this.#endedTicks[roleOf(parent)] -= member.ticks;
  }

  seconds(role: Role): number {
    const running = [...this.#members.values()].filter((member) => roleOf(member) === role);
    const ticks = running.reduce((sum, { ticks }) => sum + ticks, this.#endedTicks[role]);
    return ticks / TICKS_PER_SECOND;
  }
}

type Role = 'program' | 'server';

function roleOf({ name }: Pick<Process, 'name'>): Role {
  return SERVERS.test(name) ? 'server' : 'program';
}

/** Of the named processes and their descendants, until `stop`. */
export function watch(roots: readonly number[]): { stop: () => Usage } {
  const family = new Family(roots);
  const peak = { program: 0, server: 0, together: 0 };
  const look = (): void => {
    const now = { program: 0, server: 0 };
    for (const member of family.look(processes())) now[roleOf(member)] += megabytesOf(member.pid);
    peak.program = Math.max(peak.program, now.program);
    peak.server = Math.max(peak.server, now.server);
    peak.together = Math.max(peak.together, now.program + now.server);
  };
  look();
  const timer = setInterval(look, SAMPLE_INTERVAL_MS);
  const used = (role: Role): Used => ({ seconds: family.seconds(role), megabytes: peak[role] });
  return {
    stop: () => {
      clearInterval(timer);
      return { program: used('program'), server: used('server'), together: peak.together };
    },
  };
}

/** CPU time so far, in s; 0 for a process that has ended. */
export function cpuSeconds(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  return text === null ? 0 : parseStat(text).ticks / TICKS_PER_SECOND;
}

export function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const text = read(`/proc/${pid}/stat`);
      return text === null ? [] : [parseStat(text)];
    });
}

/** Its working folder; nothing for a process that has ended. */
export function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function megabytesOf(pid: number): number {
  const text = read(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+)/m.exec(text ?? '')?.[1] ?? 0) / 1_024;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended.
    return null;
  }
}
