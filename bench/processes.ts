/** CPU and memory of a process and its descendants, from /proc: other processes do not count. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;
const SAMPLED_EVERY_MS = 500;

export interface Used {
  /** CPU seconds. */
  seconds: number;
  /** Peak memory (MB), summed over its processes. */
  megabytes: number;
  /** Bytes that it wrote to disks. */
  written: number;
}

export interface Usage {
  readonly by: ReadonlyMap<Role, Used>;
  /** The largest memory (MB) of all processes at one time: their peaks need not coincide. */
  readonly together: number;
}

export type Role = 'command' | 'temporal';

/** Of a process and its descendants, from now until `stop`; the memory is the largest since they began. */
export function watchProcesses(root: number): { stop: () => Usage } {
  const seen = new Map<number, Used & { readonly role: Role }>();
  const before = new Map(familyOf(root).map((pid) => [pid, readProcess(pid)?.seconds ?? 0]));
  let together = 0;
  const look = (): void => {
    let resident = 0;
    for (const pid of familyOf(root)) {
      const now = readProcess(pid);
      if (!now) continue;
      // A process that has just ended has no memory.
      const most = Math.max(seen.get(pid)?.megabytes ?? 0, now.megabytes);
      resident += now.resident;
      const seconds = now.seconds - (before.get(pid) ?? 0);
      const { role, written } = now;
      seen.set(pid, { role, seconds, megabytes: most, written });
    }
    together = Math.max(together, resident);
  };
  const timer = setInterval(look, SAMPLED_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      const used = new Map<Role, Used>();
      for (const { role, ...one } of seen.values()) {
        const sum = used.get(role) ?? { seconds: 0, megabytes: 0, written: 0 };
        used.set(role, {
          seconds: sum.seconds + one.seconds,
          megabytes: sum.megabytes + one.megabytes,
          written: sum.written + one.written,
        });
      }
      return { by: used, together };
    },
  };
}

/** With SIGKILL, so that none of them can do anything more. */
export function killFamily(root: number): void {
  for (const pid of familyOf(root)) process.kill(pid, 'SIGKILL');
}

function familyOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? fieldsOf(pid)?.[1] : undefined;
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  const belongs = (pid: number): boolean =>
    pid === root || (parents.has(pid) && belongs(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(belongs);
}

/** Worker and embedded server of a folder. */
export function embeddedProcesses(folder: string): {
  readonly host: number;
  readonly server: number;
} {
  const pidIn = (name: string): number => {
    const record = readFileSync(join(folder, '.hundredfold', `${name}.json`), 'utf8');
    return (JSON.parse(record) as { pid: number }).pid;
  };
  return { host: pidIn('host'), server: pidIn('server') };
}

/** CPU time so far, in s; none for a process that has just ended. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = (fieldsOf(pid) ?? []).slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/**
 * CPU time of its present threads so far, in s. For processes that wake often and briefly: `cpuSeconds` is counted in
 * ticks, and a thread that is running when the clock ticks is charged for a whole one.
 */
export function threadSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => {
    const [ran] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(ran);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Bytes that it has written to disks so far. */
export function bytesWritten(pid: number): number {
  const [, bytes = 0] = /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
  return Number(bytes);
}

export function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks
    .flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').map(Number),
    )
    .filter((one) => one > 0);
}

/** The fields of /proc/PID/stat after the name, or nothing if the process has ended. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

function readProcess(pid: number) {
  const fields = fieldsOf(pid);
  if (!fields) return null;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const role: Role = /^Name:\s+temporal/m.test(status) ? 'temporal' : 'command';
    const megabytes = megabytesIn(status, 'VmHWM');
    const resident = megabytesIn(status, 'VmRSS');
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    return { role, seconds, megabytes, resident, written: bytesWritten(pid) };
  } catch {
    return null;
  }
}

function megabytesIn(status: string, field: string): number {
  const [, kilobytes = 0] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}
