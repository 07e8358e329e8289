/** What the processes of the real engines can do, and that they end with their job and with the service. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import {
  findMachineFault,
  runProgram,
  type Ended,
  type Running,
} from '../../packages/local-services/src/engines/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'engine-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function running(more: Partial<Running> = {}): Running {
  const signal = new AbortController().signal;
  return { signal, heartbeatEveryMs: 50, heartbeat: () => undefined, ...more };
}

/** The first number in a text that is still being written. */
async function numberIn(read: () => string): Promise<number> {
  await expect.poll(read).toMatch(/^\d+$/m);
  return Number(/^\d+$/m.exec(read())?.[0]);
}

async function gone(pid: number): Promise<void> {
  const look = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(look).toBe(false);
}

const BACKGROUND = 'import subprocess; p = subprocess.Popen(["sleep", "600"]); print(p.pid)';

/** How a job ended, and what it has printed so far. */
interface Job {
  readonly end: Promise<Ended>;
  readonly log: () => string;
}

function start(script: string, more: Partial<Running> = {}): Job {
  let log = '';
  const args = ['python3', '-u', '-c', script];
  const environment = { PATH: process.env['PATH'] ?? '' };
  const end = runProgram(
    { command: '/usr/bin/env', args, environment, folder },
    { ...running(more), onOutput: (text) => (log += text) },
  );
  return { end, log: () => log };
}

describe('a job', () => {
  test('returns its exit code and both output streams, in order, and runs in its folder', async () => {
    const job = start(
      'import os, sys; print(os.getcwd()); print("why", file=sys.stderr, flush=True); print("end"); sys.exit(3)',
    );
    expect(await job.end).toMatchObject({ code: 3, signal: null });
    expect(job.log()).toBe(`${folder}\nwhy\nend\n`);
    expect((await start('pass').end).code).toBe(0);
    expect((await start('raise ValueError("no")').end).code).toBe(1);
  });

  test.each([
    ['is killed', 'import os; os.kill(os.getpid(), 9)', 'the engine was killed by SIGKILL.'],
    ['has no room', 'raise OSError(28, "No space left on device")', 'reports "No space left'],
    ['has no memory', 'raise MemoryError', 'reports "MemoryError".'],
    ['fails', 'raise ValueError("no")', null],
    ['breaks', 'import os; os.kill(os.getpid(), 11)', null],
    ['ends well', 'print("MemoryError")', null],
  ])('that %s tells whether the machine was the reason', async (_, script, words) => {
    const fault = findMachineFault(await start(script).end);
    if (words === null) expect(fault).toBeNull();
    else expect(fault).toContain(words);
  });

  test('whose program is missing has failed by its machine', async () => {
    const program = { command: `${folder}/absent`, args: [], environment: {}, folder };
    const ended = await runProgram(program, running());
    expect(findMachineFault(ended)).toBe('the engine cannot be started.');
  });

  test('cannot access the service: no environment, no input, no open file', async () => {
    process.env['HUNDREDFOLD_TEST_TOKEN'] = 'secret-of-the-service';
    const job = start(
      'import os, sys; print(dict(os.environ), repr(sys.stdin.read()), os.listdir("/proc/self/fd"))',
    );
    await job.end;
    delete process.env['HUNDREDFOLD_TEST_TOKEN'];
    expect(job.log()).not.toContain('secret-of-the-service');
    // The fourth is the listing itself; a script that stands for Python may hold itself open.
    expect(job.log()).toMatch(/'' \['0', '1', '2', '3'(?:, '2\d\d')?\]/);
  });

  test('that crashes does not affect other jobs', async () => {
    const other = start('import time; time.sleep(1)');
    const crashed = start('import os, signal; os.kill(os.getpid(), signal.SIGSEGV)');
    expect(await crashed.end).toMatchObject({ code: null, signal: 'SIGSEGV' });
    expect((await other.end).code).toBe(0);
  });

  test('terminates its background processes with it', async () => {
    const job = start(BACKGROUND);
    expect((await job.end).code).toBe(0);
    await gone(await numberIn(job.log));
  });

  test('that is aborted ends with all its processes, also those that ignore SIGTERM', async () => {
    const abort = new AbortController();
    const stubborn = `import subprocess; subprocess.run(["sh", "-c", "trap '' TERM; echo $$; while :; do sleep 1; done"])`;
    const job = start(stubborn, { signal: abort.signal });
    const child = await numberIn(job.log);
    abort.abort('time-limit');
    await expect(job.end).rejects.toBe('time-limit');
    await gone(child);
  });

  test('sends heartbeats while it runs, and while others start and end', async () => {
    let beats = 0;
    const job = start('import time; time.sleep(1.5)', { heartbeat: () => (beats += 1) });
    await start('pass').end;
    const before = beats;
    for (let n = 0; n < 5; n += 1) await start('pass').end;
    await job.end;
    expect(beats - before).toBeGreaterThan(3);
  });

  test('ends with the service, even if the service is killed', async () => {
    const service = fileURLToPath(new URL('engine-service.ts', import.meta.url));
    const file = join(folder, 'pid');
    const script = `import os, time; print(os.getpid(), file=open(${JSON.stringify(file)}, "w"), flush=True); time.sleep(600)`;
    const child = spawn(process.execPath, [service, folder, script], { stdio: 'inherit' });
    const pid = await numberIn(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
    child.kill('SIGKILL');
    await gone(pid);
  });
});

test('a missing program is an error of ours, not of the engine', async () => {
  const program = { command: '/nowhere', args: [], environment: {}, folder };
  expect(await runProgram(program, running())).toMatchObject({ code: 127 });
  const moved = runProgram({ ...program, folder: '/nowhere' }, running());
  await expect(moved).rejects.toThrow('ENOENT');
});

test('the end of endless output is kept', async () => {
  const { output } = await start('for n in range(100000): print("line", n)').end;
  expect(output).toMatch(/line 99999\n$/);
  expect(output.length).toBeLessThan(300_000);
});
