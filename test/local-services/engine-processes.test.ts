/** What the processes of the real engines can do, and that they end with their job and with the service. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  BoundedText,
  runProgram,
  type Running,
} from '../../packages/local-services/src/engines/process.ts';
import { fakeB2bTools, RUNNERS, type Job, type Runner } from './engine-runners.ts';

const folder = fakeB2bTools();

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

const HOG = 'kept = []\nwhile True: kept.append(bytes([1]) * 10**7)';
const BACKGROUND = 'import subprocess; p = subprocess.Popen(["sleep", "600"]); print(p.pid)';

describe.each(['program', 'fork'] as const)('a job that is a %s', (kind) => {
  let runner: Runner;
  const start = (script: string, more: Partial<Running> = {}, memoryMb?: number): Job =>
    runner.start(script, running(more), memoryMb);

  beforeEach(() => {
    runner = RUNNERS[kind](folder);
  });

  afterEach(() => runner.close());

  test('returns its exit code and both output streams, in order, and runs in its folder', async () => {
    const job = start(
      'import os, sys; print(os.getcwd()); print("why", file=sys.stderr, flush=True); print("end"); sys.exit(3)',
    );
    expect(await job.end).toMatchObject({ code: 3, signal: null, overMemory: false });
    expect(job.log()).toBe(`${folder}\nwhy\nend\n`);
    expect((await start('pass').end).code).toBe(0);
    expect((await start('raise ValueError("no")').end).code).toBe(1);
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

  test('that needs too much memory is terminated, including its children', async () => {
    const script = `import subprocess, sys; subprocess.run([sys.executable, "-c", ${JSON.stringify(HOG)}])`;
    const ended = await start(script, {}, 200).end;
    expect(ended).toMatchObject({ overMemory: true, signal: 'SIGKILL' });
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
    const file = join(folder, `${kind}.pid`);
    const script = `import os, time; print(os.getpid(), file=open(${JSON.stringify(file)}, "w"), flush=True); time.sleep(600)`;
    const child = spawn(process.execPath, [service, kind, folder, script], { stdio: 'inherit' });
    const pid = await numberIn(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
    child.kill('SIGKILL');
    await gone(pid);
  });
});

test('a missing program is an error of ours, not of the engine', async () => {
  const program = { command: '/nowhere', args: [], environment: {}, folder, memoryMb: 1000 };
  expect(await runProgram(program, running())).toMatchObject({ code: 127 });
  const moved = runProgram({ ...program, folder: '/nowhere' }, running());
  await expect(moved).rejects.toThrow('ENOENT');
});

describe('the warm process of forks', () => {
  const start = (runner: Runner, script: string, more: Partial<Running> = {}): Job =>
    runner.start(script, running(more));

  test('has loaded the models, which no job can change for the next one', async () => {
    const runner = RUNNERS.fork(folder);
    const look =
      'from b2bTools.singleSeq.DynaMine.Predictor import DynaMine as D; d = D(); print(D.reads, d.modelDict)';
    const first = start(runner, `${look}; d.modelDict["changed"] = 1`);
    await first.end;
    const second = start(runner, look);
    await second.end;
    expect([first.log(), second.log()]).toEqual(['1 {}\n', '1 {}\n']);
    await runner.close();
  });

  test('is replaced when it has ended, and its jobs run once more', async () => {
    const runner = RUNNERS.fork(folder);
    const script = `import os; f = ${JSON.stringify(join(folder, 'tried'))}
print(os.getpid(), flush=True)
if not os.path.exists(f): open(f, "w"); os.kill(os.getppid(), 9); import time; time.sleep(600)`;
    const job = start(runner, script);
    const first = await numberIn(job.log);
    expect((await job.end).code).toBe(0);
    await gone(first);
    await runner.close();
  });

  test('is replaced when it hangs while one of its jobs is aborted', async () => {
    const runner = RUNNERS.fork(folder);
    const abort = new AbortController();
    const stop = 'import os, time; os.kill(os.getppid(), 19); print(os.getpid()); time.sleep(600)';
    const stuck = start(runner, stop, { signal: abort.signal });
    const pid = await numberIn(stuck.log);
    abort.abort('silent');
    await expect(stuck.end).rejects.toBe('silent');
    await gone(pid);
    expect((await start(runner, 'pass').end).code).toBe(0);
    await runner.close();
  });

  test('reports the reason if it does not start', async () => {
    const broken = fakeB2bTools({ 'pandas.py': 'raise ImportError("no pandas here")' });
    const { end } = start(RUNNERS.fork(broken), 'pass');
    await expect(end).rejects.toThrow('no pandas here');
    rmSync(broken, { recursive: true });
  });
});

test('the beginning and the end of endless output are kept', () => {
  const text = new BoundedText(100);
  for (let n = 0; n < 1_000; n += 1) text.add(Buffer.from(`line ${String(n)}\n`));
  const kept = text.toString();
  expect(kept).toMatch(/^line 0\n[^]*characters left out[^]*line 999\n$/);
  expect(kept.length).toBeLessThan(300);
});
