/** How close to the bound campaigns get that are limited by their budget, and whether the window holds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { Bench, sequences } from './command.ts';

export interface WindowCase {
  readonly items: number;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly jobSeconds: number;
  /** Engines of the user's own, as a second lane. */
  readonly lane?: { readonly engines: number; readonly jobSeconds: number };
  /** What runs the campaigns; undisturbed by default. */
  readonly course?: Course;
}

/** Runs the items to their end, and returns the names of their campaigns. */
export type Course = (bench: Bench, items: readonly object[]) => Promise<readonly string[]>;

interface Measured {
  /** Jobs of the second lane. */
  readonly own: number;
  readonly refused: number;
  readonly duplicates: number;
  readonly lost: number;
  /** From the first accepted job to the last item on disk, in s. */
  readonly makespan: number;
  /** No client can be faster: `(ceil(N / L) - 1) * W + the last job`, in s. */
  readonly bound: number;
  /** When the service accepted each job, in ms since the epoch. */
  readonly stamps: readonly number[];
}

/** In s: the first jobs of each window at its very beginning, and the last job to its end. */
export function lowerBound(wanted: WindowCase): number {
  const { items, limit, windowSeconds, jobSeconds, lane } = wanted;
  const alone = (Math.ceil(items / limit) - 1) * windowSeconds + jobSeconds;
  if (!lane) return alone;
  const countDone = (at: number): number => {
    const windows = at < jobSeconds ? 0 : Math.floor((at - jobSeconds) / windowSeconds) + 1;
    return windows * limit + lane.engines * Math.floor(at / lane.jobSeconds);
  };
  for (let tenths = 0; tenths < 10 * alone; tenths += 1)
    if (countDone(tenths / 10) >= items) return tenths / 10;
  return alone;
}

const undisturbed: Course = async (bench, items) => {
  const { code, stderr } = await bench.run('run', await bench.manifest(items));
  if (code !== 0) throw new Error(stderr);
  return ['bench'];
};

async function measure(wanted: WindowCase): Promise<Measured> {
  const { items, limit, windowSeconds, jobSeconds, lane, course = undisturbed } = wanted;
  const bench = await Bench.open();
  try {
    const lanes = lane ? await startLane(bench, lane) : '';
    await bench.serve(
      [
        ...['--engine', 'synthetic', '--concurrency', '0', '--retry-after', '1'],
        ...['--limit', String(limit), '--address-limit', '0'],
        ...['--window', `${windowSeconds}s`, '--job-time', `${jobSeconds}s`],
      ],
      `{ limit: ${limit}, window: ${windowSeconds}s }`,
      lanes,
    );
    const since = await succeedOnce(bench, windowSeconds);
    const campaigns = await course(bench, sequences(items));
    const rows = (await Promise.all(campaigns.map((name) => itemsOf(bench, name)))).flat();
    const lastEnd = Math.max(...rows.map(({ finished_at: at }) => Date.parse(at ?? '')));
    const journal = (await bench.journal()).filter(({ at }) => at >= since);
    const stamps = journal.filter(({ accepted }) => accepted).map(({ at }) => at);
    const local = lane ? (await bench.journal(LANE_DATABASE)).filter(({ at }) => at >= since) : [];
    const all = [...stamps, ...local.filter(({ accepted }) => accepted).map(({ at }) => at)];
    return {
      refused: journal.filter(({ status }) => status === 429).length,
      duplicates: all.length - items,
      own: all.length - stamps.length,
      lost: items - rows.filter(({ state }) => state === 'succeeded').length,
      makespan: (lastEnd - Math.min(...all)) / 1_000,
      bound: lowerBound(wanted),
      stamps,
    };
  } finally {
    await bench.close();
  }
}

const LANE_DATABASE = 'lane.db';

/** Returns the keys of the prediction service that name it. */
async function startLane(
  bench: Bench,
  { engines, jobSeconds }: NonNullable<WindowCase['lane']>,
): Promise<string> {
  const options = ['--engine', 'synthetic', '--retry-after', '1', '--limit', '0'];
  const jobs = ['--concurrency', String(engines), '--job-time', `${jobSeconds}s`];
  const url = await bench.startServices([...options, ...jobs], LANE_DATABASE);
  return `, lanes: [{ name: here, url: "${url}", maxOpen: ${engines}, sameEngine: true }]`;
}

/** @returns when its job did not count in the window any more, in ms since the epoch */
async function succeedOnce(bench: Bench, windowSeconds: number): Promise<number> {
  const row = { ...sequences(1)[0], id: 'earlier', sequence: 'MKTAYIAKQRQISFVKSHF' };
  const { code, stderr } = await bench.run('run', await bench.manifest([row], 'earlier'));
  if (code !== 0) throw new Error(stderr);
  await delay(windowSeconds * 1_000);
  return Date.now();
}

export async function window(wanted: WindowCase): Promise<string> {
  const { items, limit, windowSeconds, jobSeconds } = wanted;
  const measured = await measure(wanted);
  const { refused, duplicates, own, lost, makespan, bound, stamps } = measured;
  const { lane } = wanted;
  const late = latenessOf(stamps, { ...wanted, items: stamps.length }).map((s) => s.toFixed(2));
  return [
    `${items} items, ${limit} per ${windowSeconds} s, ${jobSeconds} s jobs:`,
    ...(lane ? [`${own} by ${lane.engines} engines of ${lane.jobSeconds} s;`] : []),
    `${refused} x 429, ${duplicates} duplicates, ${lost} lost,`,
    `makespan ${makespan.toFixed(2)} s, bound ${bound.toFixed(1)} s, ratio ${(makespan / bound).toFixed(3)};`,
    `the last job of each window was late by ${late.join(', ')} s`,
  ].join(' ');
}

/** How long after the begin of its window the last job of each was accepted, in s; at the bound all are 0. */
function latenessOf(
  stamps: readonly number[],
  { items, limit, windowSeconds }: WindowCase,
): number[] {
  const [first = Number.NaN] = stamps;
  return Array.from({ length: Math.ceil(items / limit) }, (_, n) => {
    const last = stamps[Math.min(items, (n + 1) * limit) - 1] ?? Number.NaN;
    return (last - first) / 1_000 - n * windowSeconds;
  });
}

async function itemsOf(bench: Bench, campaign: string): Promise<Record<string, string>[]> {
  const table = await readFile(join(bench.folder, 'results', campaign, 'items.csv'));
  return parse<Record<string, string>>(table, { columns: true });
}
