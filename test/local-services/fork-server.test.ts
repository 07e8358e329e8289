import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Forked } from '../../src/local-services/engines/real/b2btools/fork-server.ts';
import { WarmB2bTools } from '../../src/local-services/engines/real/b2btools/warm.ts';
import type { Running } from '../../src/local-services/engines/real/process.ts';
import { fakeB2bTools } from './fake-b2btools.ts';

const installed = fakeB2bTools();
const { folder } = installed;
let b2bTools: WarmB2bTools;
let jobs = 0;

beforeEach(() => {
  b2bTools = new WarmB2bTools(installed);
});

afterEach(async () => {
  await b2bTools.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Job {
  readonly log: () => string;
  readonly end: Promise<Forked>;
}

function start(script: string, more: Partial<Running> = {}, memoryMb = 1000): Job {
  const log = join(folder, `${String((jobs += 1))}.log`);
  const running = {
    signal: new AbortController().signal,
    heartbeatEveryMs: 50,
    heartbeat: () => undefined,
    ...more,
  };
  const job = { program: 'b2bTools', args: [script], folder, log, memoryMb } as const;
  return { log: () => readFileSync(log, 'utf8'), end: b2bTools.run(job, running) };
}

/** The first number that a job prints. */
async function printed(job: Pick<Job, 'log'>): Promise<number> {
  const read = (): string | undefined => {
    try {
      return /^(\d+)$/m.exec(job.log())?.[1];
    } catch {
      return undefined;
    }
  };
  await expect.poll(read, { timeout: 30_000 }).toBeDefined();
  return Number(read());
}

async function gone(pid: number): Promise<void> {
  const look = (): string => {
    try {
      process.kill(pid, 0);
      return 'there';
    } catch {
      return 'gone';
    }
  };
  await expect.poll(look, { timeout: 20_000 }).toBe('gone');
}

const FOR_EVER = 'import os, time; print(os.getpid()); time.sleep(600)';

describe('a job in a fork of b2bTools', () => {
  test('is its own process: exit code, output and folder are those of a command', async () => {
    const job = start(
      'import os, sys; print(os.getcwd()); print("why", file=sys.stderr); sys.exit(3)',
    );
    expect(await job.end).toMatchObject({ code: 3, signal: null, overMemory: false });
    expect(job.log()).toBe(`${folder}\nwhy\n`);
    expect((await start('pass').end).code).toBe(0);
    expect((await start('raise ValueError("no")').end).code).toBe(1);
  });

  test('finds the models loaded, and does not affect the next one', async () => {
    const look =
      'from b2bTools.singleSeq.DynaMine.Predictor import DynaMine as D; d = D(); print(D.reads, d.modelDict)';
    const first = start(`${look}; d.modelDict["changed"] = 1`);
    await first.end;
    const second = start(look);
    await second.end;
    expect([first.log(), second.log()]).toEqual(['1 {}\n', '1 {}\n']);
  });

  test('cannot access the service: no environment, no input, no open file', async () => {
    process.env['HUNDREDFOLD_TEST_TOKEN'] = 'secret-of-the-service';
    const job = start(
      'import os, sys; print(dict(os.environ), sys.stdin.read(), os.listdir("/proc/self/fd"))',
    );
    await job.end;
    delete process.env['HUNDREDFOLD_TEST_TOKEN'];
    expect(job.log()).not.toContain('secret-of-the-service');
    // The fourth is the listing itself.
    expect(job.log()).toContain("['0', '1', '2', '3']");
  });

  test('that crashes does not affect other jobs', async () => {
    const other = start('import time; time.sleep(1)');
    const crashed = await start('import os, signal; os.kill(os.getpid(), signal.SIGSEGV)').end;
    expect(crashed).toMatchObject({ code: null, signal: 'SIGSEGV' });
    expect((await other.end).code).toBe(0);
  });

  test('terminates its background processes with it', async () => {
    const job = start('import subprocess; print(subprocess.Popen(["sleep", "600"]).pid)');
    expect((await job.end).code).toBe(0);
    await gone(await printed(job));
  });

  test('that is aborted has ended, with all its processes, before the caller is notified', async () => {
    const abort = new AbortController();
    const script =
      'import subprocess; p = subprocess.Popen(["sleep", "600"]); print(p.pid); p.wait()';
    const job = start(script, { signal: abort.signal });
    const child = await printed(job);
    abort.abort('time-limit');
    await expect(job.end).rejects.toBe('time-limit');
    await gone(child);
  });

  test('that needs too much memory is terminated, including its children', async () => {
    const hog =
      'import subprocess, sys; subprocess.run([sys.executable, "-c", "x = []\\nwhile True: x.append(bytes([1]) * 10**7)"])';
    expect(await start(hog, {}, 200).end).toMatchObject({ overMemory: true, signal: 'SIGKILL' });
  });

  test('sends heartbeats while other jobs start and end', async () => {
    let beats = 0;
    const job = start('import time; time.sleep(1.5)', { heartbeat: () => (beats += 1) });
    await start('pass').end;
    const before = beats;
    for (let n = 0; n < 10; n += 1) await start('pass').end;
    await job.end;
    expect(beats - before).toBeGreaterThan(3);
  });
});

describe('the warm process', () => {
  test('that has ended is replaced, and its jobs run once more', async () => {
    const script = `import os; f = ${JSON.stringify(join(folder, 'tried'))}
print(os.getpid(), flush=True)
if not os.path.exists(f): open(f, "w"); os.kill(os.getppid(), 9); import time; time.sleep(600)`;
    const job = start(script);
    const first = await printed(job);
    expect((await job.end).code).toBe(0);
    await gone(first);
  });

  test('that hangs is replaced when one of its jobs is aborted', async () => {
    const abort = new AbortController();
    const stuck = start(`import os; os.kill(os.getppid(), 19); ${FOR_EVER}`, {
      signal: abort.signal,
    });
    const pid = await printed(stuck);
    abort.abort('silent');
    await expect(stuck.end).rejects.toBe('silent');
    await gone(pid);
    expect((await start('pass').end).code).toBe(0);
  });

  test('that does not start reports the reason', async () => {
    const broken = fakeB2bTools({ 'pandas.py': 'raise ImportError("no pandas here")' });
    b2bTools = new WarmB2bTools(broken);
    await expect(start('pass').end).rejects.toThrow('no pandas here');
    rmSync(broken.folder, { recursive: true });
  });

  test('ends with the service, as do its jobs, even if the service is killed', async () => {
    const service = fileURLToPath(new URL('fork-server.service.ts', import.meta.url));
    const log = join(folder, 'service.log');
    const child = spawn(process.execPath, [service, folder, log, FOR_EVER], { stdio: 'inherit' });
    const pid = await printed({ log: () => readFileSync(log, 'utf8') });
    child.kill('SIGKILL');
    await gone(pid);
  });
});
