import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BoundedText } from '../../src/local-services/engines/real/bounded-text.ts';
import {
  runProgram,
  type Ended,
  type Program,
} from '../../src/local-services/engines/real/process.ts';

const NEVER = new AbortController().signal;

function program(script: string, more: Partial<Program> = {}): Program {
  return {
    command: '/bin/sh',
    args: ['-c', script],
    environment: { PATH: '/usr/bin:/bin' },
    folder: tmpdir(),
    memoryMb: 1000,
    ...more,
  };
}

function run(what: Program, signal = NEVER, heartbeat = (): void => undefined): Promise<Ended> {
  return runProgram(what, { signal, heartbeatEveryMs: 50, heartbeat });
}

async function gone(pid: number): Promise<void> {
  await expect
    .poll(
      () => {
        try {
          process.kill(pid, 0);
          return 'there';
        } catch {
          return 'gone';
        }
      },
      { timeout: 20_000 },
    )
    .toBe('gone');
}

/** Resolves with the first number that the program prints. */
function firstNumber(
  what: Program,
  signal: AbortSignal,
): { pid: Promise<number>; end: Promise<Ended> } {
  let tell: (pid: number) => void;
  const pid = new Promise<number>((resolve) => (tell = resolve));
  const end = runProgram(what, {
    signal,
    heartbeatEveryMs: 50,
    heartbeat: () => undefined,
    onOutput: (bytes) => {
      const found = /\d+/.exec(Buffer.from(bytes).toString());
      if (found) tell(Number(found[0]));
    },
  });
  return { pid, end };
}

test('a program’s exit code and its two output streams, in order, are returned', async () => {
  const ended = await run(program('echo one; echo two >&2; echo three; exit 19'));
  expect(ended).toMatchObject({ code: 19, output: 'one\ntwo\nthree\n', overMemory: false });
});

test('a program gets neither the environment nor the standard input of the service', async () => {
  process.env['HUNDREDFOLD_TEST_TOKEN'] = 'secret-of-the-service';
  const { output } = await run(program('env; cat'));
  delete process.env['HUNDREDFOLD_TEST_TOKEN'];
  expect(output).toContain('PATH=/usr/bin:/bin');
  expect(output).not.toContain('secret-of-the-service');
  expect(output.match(/^[A-Z_]+=/gm)?.sort()).toEqual(['PATH=', 'PWD=']);
});

test('an abort ends the whole process group, also processes that ignore SIGTERM', async () => {
  const abort = new AbortController();
  const stubborn = `sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`;
  const { pid, end } = firstNumber(program(stubborn), abort.signal);
  const child = await pid;
  abort.abort('time-limit');
  await expect(end).rejects.toBe('time-limit');
  await gone(child);
});

test('background processes of a program end with it', async () => {
  const { output } = await run(program('sleep 600 & echo $!'));
  await gone(Number(output));
});

test('the process group ends with the service, even if the service is killed', async () => {
  const service = fileURLToPath(new URL('engine-process.service.ts', import.meta.url));
  const child = spawn(process.execPath, [service], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await gone(Number(said.toString()));
});

test('a program above its memory limit is terminated, including its children', async () => {
  const hog = `const kept = []; setInterval(() => kept.push(Buffer.alloc(20e6, 1)), 10)`;
  const ended = await run(program(`"${process.execPath}" -e '${hog}' & wait`, { memoryMb: 300 }));
  expect(ended).toMatchObject({ overMemory: true, signal: 'SIGKILL' });
});

test('heartbeats are sent while a program runs', async () => {
  let beats = 0;
  const ended = run(program('sleep 600'), AbortSignal.timeout(2_000), () => (beats += 1));
  await expect(ended).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(beats).toBeGreaterThan(2);
});

test('a missing program is an error of ours, not of the engine', async () => {
  expect(await run(program('', { command: '/nowhere', args: [] }))).toMatchObject({ code: 127 });
  await expect(run(program('true', { folder: '/nowhere' }))).rejects.toThrow('ENOENT');
});

test('the beginning and the end of endless output are kept', () => {
  const text = new BoundedText(100);
  for (let n = 0; n < 1_000; n += 1) text.add(Buffer.from(`line ${String(n)}\n`));
  const kept = text.toString();
  expect(kept).toMatch(/^line 0\n/);
  expect(kept).toMatch(/line 999\n$/);
  expect(kept).toContain('characters left out');
  expect(kept.length).toBeLessThan(300);
});
