/**
 * How a shared service is treated: status requests and submissions by open jobs, and the resulting delay. Each case
 * runs twice against the same services, with the defaults and with unlimited polling.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GoBetween, type Seen } from '../test/workflows/go-between.ts';
import { Bench, sequences } from './command.ts';

interface Case {
  readonly jobs: number;
  /** Duration of one job in seconds, and how many run at once: the ends are spread as at a service with a queue. */
  readonly jobSeconds: number;
  readonly atOnce: number;
}

interface Measured {
  readonly seconds: number;
  readonly statusPerSecond: number;
  readonly most: number;
  readonly lists: number;
  readonly submissionsPerMinute: number;
}

const CASES: readonly Case[] = [
  { jobs: 10, jobSeconds: 60, atOnce: 10 },
  { jobs: 100, jobSeconds: 12, atOnce: 10 },
  { jobs: 1_000, jobSeconds: 10, atOnce: 40 },
];

/** By the number of open jobs. */
export const mannersCases: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  CASES.map((one) => [String(one.jobs), () => compared(one)]),
);

async function compared(one: Case): Promise<string> {
  const polite = await measure(one, '');
  const constant = await measure(one, ', statusRequests: none');
  const lost = (polite.seconds / constant.seconds - 1) * 100;
  return (
    `open jobs of ${one.jobSeconds} s: ${text(polite)}; without a pace ${text(constant)}; ` +
    `time lost ${lost.toFixed(1)} %`
  );
}

function text({ seconds, statusPerSecond, most, lists, submissionsPerMinute }: Measured): string {
  return (
    `${statusPerSecond.toFixed(2)} status requests a second (with downloads at most ${most} in one), ${lists} lists, ` +
    `${submissionsPerMinute.toFixed(0)} submissions a minute, ${seconds.toFixed(1)} s`
  );
}

async function measure({ jobs, jobSeconds, atOnce }: Case, more: string): Promise<Measured> {
  const bench = await Bench.open();
  let between: GoBetween | null = null;
  try {
    const options = ['--engine', 'synthetic', '--concurrency', String(atOnce), '--limit', '0'];
    between = await GoBetween.open(
      await bench.serve([...options, '--job-time', `${jobSeconds}s`], 'none'),
    );
    const predictions = `{ url: "${between.url}", budget: none, maxUnfinished: none${more} }`;
    const config = `services: { predictions: ${predictions} }\n`;
    await writeFile(join(bench.folder, 'hundredfold.yaml'), config);
    const path = await bench.manifest(sequences(jobs));
    const { code, stderr, stdout } = await bench.run('run', path, '--json', '--yes');
    if (code !== 0) throw new Error(stderr);
    const { startedAt, endedAt } = JSON.parse(stdout) as { startedAt: string; endedAt: string };
    return figures(between.seen, (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000);
  } finally {
    await between?.close();
    await bench.close();
  }
}

/** Of all requests that have reached the service. The result of a job has the address of its status. */
function figures(seen: readonly Seen[], seconds: number): Measured {
  const submitted = seen.filter(({ method }) => method === 'POST').map(({ at }) => at);
  const lists = seen.filter(({ path }) => path.includes('/past-results/')).length;
  const jobs = submitted.length;
  const asked = seen.filter(
    ({ method, path }) => method === 'GET' && /\/results\/[^/]+\/$/.test(path),
  );
  // One of them is the download.
  const status = asked.length - jobs;
  const times = asked.map(({ at }) => at);
  const most = Math.max(
    ...times.map((at, n) => times.findLastIndex((t) => t < at + 1_000) - n + 1),
  );
  const minutes = ((submitted.at(-1) ?? 0) - (submitted[0] ?? 0)) / 60_000;
  return {
    seconds,
    most,
    lists,
    statusPerSecond: status / seconds,
    submissionsPerMinute: jobs / Math.max(minutes, 1 / 60),
  };
}
