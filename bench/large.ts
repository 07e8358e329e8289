/**
 * A campaign of a million rows, of which some thousands are run: how long each command takes, and how much CPU and
 * memory it needs, with its worker and the embedded server. Different sequences of 30 residues, synthetic service,
 * no limit.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Bench } from './command.ts';
import { killFamily, watchProcesses, type Usage } from './processes.ts';

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';
const POLLED_MS = 250;

interface Step {
  readonly name: string;
  readonly seconds: number;
  readonly used: Usage;
  readonly note: string;
}

export async function large(rows: number, run: number): Promise<string> {
  const bench = await Bench.open();
  try {
    const url = await bench.serveUnlimited();
    const manifest = await writeManifest(bench, rows);
    for await (const step of course(bench, { url, manifest, run })) {
      // One line at a time: all of them together may take an hour.
      console.log(lineOf(step));
    }
    return `${rows} rows, ${await acceptedBy(url)} of them submitted`;
  } finally {
    await bench.close();
  }
}

interface Course {
  readonly url: string;
  readonly manifest: string;
  /** Jobs until the campaign is paused. */
  readonly run: number;
}

async function* course(bench: Bench, { url, manifest, run }: Course): AsyncGenerator<Step> {
  const command = ['run', manifest, '--yes'];
  const first = start(bench, command);
  try {
    yield await first.until('run, until the first job', () => isPast(url, 0));
    yield await first.until(`the first ${run} jobs`, () => isPast(url, run));
    yield await whole(bench, ['pause', 'bench']);
  } finally {
    first.kill();
  }
  const paused = await standsStill(url);
  yield await whole(bench, ['resume', 'bench']);
  const second = start(bench, command);
  try {
    yield await second.until('run again, until its next job', () => isPast(url, paused));
    yield await whole(bench, ['status', 'bench']);
    yield await whole(bench, ['list']);
    yield await whole(bench, ['items', 'bench', '--state', 'failed']);
    yield await whole(bench, ['items', 'bench', '--state', 'succeeded']);
    yield await whole(bench, ['cancel', 'bench']);
    yield await second.until('the cancelled campaign is published', second.hasEnded);
  } finally {
    second.kill();
  }
  yield await whole(bench, ['status', 'bench']);
  yield await whole(bench, ['items', 'bench', '--state', 'failed']);
}

function start(bench: Bench, args: readonly string[]) {
  let startedAt = performance.now();
  const { child, ended } = bench.type(args);
  let usage = watchProcesses(child.pid ?? 0);
  let over: Awaited<typeof ended> | null = null;
  void ended.then((end) => (over = end));
  return {
    hasEnded: () => Promise.resolve(over !== null),
    kill(): void {
      usage.stop();
      killFamily(child.pid ?? 0);
    },
    async until(name: string, reached: () => Promise<boolean>): Promise<Step> {
      while (!(await reached())) {
        if (over !== null) throw new Error(`${args.join(' ')} ended:\n${over.stderr}`);
        await delay(POLLED_MS);
      }
      const step = { name, seconds: (performance.now() - startedAt) / 1_000, used: usage.stop() };
      startedAt = performance.now();
      usage = watchProcesses(child.pid ?? 0);
      return { ...step, note: '' };
    },
  };
}

async function whole(bench: Bench, args: readonly string[]): Promise<Step> {
  const startedAt = performance.now();
  const { child, ended } = bench.type(args);
  const usage = watchProcesses(child.pid ?? 0);
  const { code, stdout, stderr } = await ended;
  const used = usage.stop();
  const seconds = (performance.now() - startedAt) / 1_000;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}:\n${stderr}`);
  return { name: args.join(' '), seconds, used, note: `${stdout.split('\n').length - 1} lines` };
}

function lineOf({ name, seconds, used, note }: Step): string {
  const parts = [...used.by].map(
    ([role, { seconds: cpu, megabytes }]) =>
      `${role} ${cpu.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB`,
  );
  return `  ${name}: ${seconds.toFixed(1)} s; ${parts.join('; ')}${note === '' ? '' : `; ${note}`}`;
}

/** Streamed: the table is larger than a string should be. */
async function writeManifest(bench: Bench, rows: number): Promise<string> {
  const path = join(bench.folder, 'bench.csv');
  const file = createWriteStream(path);
  file.write('id,sequence\n');
  for (let n = 0; n < rows; n += 1) {
    if (!file.write(`row-${n},${sequence(n)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return path;
}

function sequence(n: number): string {
  const residues = Array.from(
    { length: 6 },
    (_, place) => RESIDUES[Math.floor(n / 20 ** place) % 20],
  );
  return `MKTAYIAKQRQISFVKSHFSRQLE${residues.join('')}`;
}

const isPast = async (url: string, jobs: number): Promise<boolean> =>
  (await acceptedBy(url)) > jobs;

/** Jobs of the service, whatever became of them. */
async function acceptedBy(url: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const counts = [...text.matchAll(/^jobs\{[^}]*service="predictions"[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What a paused campaign had submitted when its last submissions on the way were answered. */
async function standsStill(url: string): Promise<number> {
  for (let before = -1; ;) {
    const now = await acceptedBy(url);
    if (now === before) return now;
    before = now;
    await delay(5_000);
  }
}
