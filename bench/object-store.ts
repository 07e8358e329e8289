/**
 * The cost of a bucket in place of a folder: CPU of the worker per item, and the publication of a finished tree. The S3
 * server (versitygw) runs on the same cores; its own CPU is not counted.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { reachObjectStores } from '../src/store/open-store.ts';
import { startS3, type S3Server } from '../test/s3-server.ts';
import { Bench, sequences } from './command.ts';
import { writeFinishedTree } from './finished-tree.ts';
import { sizeOf } from './sizes.ts';

const CPU_AT_EXIT = new URL('cpu-at-exit.ts', import.meta.url).href;
const MEASURED = fileURLToPath(new URL('publish-measured.ts', import.meta.url));

interface Run {
  readonly cpuMs: number;
  readonly seconds: number;
}

/** Sequences without a budget, on the synthetic engine; the services are a separate process. */
async function costOfItems(items: number): Promise<string> {
  return withServer(async (server) => {
    const folder = await campaign(items, null);
    const bucket = await campaign(items, server);
    const idle = await campaign(1, null);
    const idleBucket = await campaign(1, server);
    const each = (run: Run, start: Run): number => (run.cpuMs - start.cpuMs) / (items - 1);
    const [one, other] = [each(folder, idle), each(bucket, idleBucket)];
    return `${items} items: worker ${one.toFixed(1)} ms of CPU an item with a folder, ${other.toFixed(1)} ms with a bucket: ${(other / one).toFixed(2)} x; ${folder.seconds.toFixed(1)} and ${bucket.seconds.toFixed(1)} s`;
  });
}

async function campaign(items: number, server: S3Server | null): Promise<Run> {
  const bench = await Bench.open();
  const cpu = join(bench.folder, 'cpu');
  try {
    const options = { engine: 'synthetic', concurrency: 0, limit: 0, 'job-time': '100ms' };
    const words = Object.entries({ ...options, 'retry-after': 0 }).flatMap(([option, value]) => [
      `--${option}`,
      String(value),
    ]);
    await bench.serve(words, 'none');
    const out = server ? [`--out`, `s3://${server.bucket}/bench-${items}`] : [];
    const manifest = await bench.manifest(sequences(items));
    const env = {
      BENCH_CPU: cpu,
      NODE_OPTIONS: `--import=${CPU_AT_EXIT}`,
      ...(server && { ...server.environment, HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint }),
    };
    const ended = await bench.type(['run', manifest, '--no-cache', '--json', ...out], env).ended;
    if (ended.code !== 0) throw new Error(ended.stderr);
    const { startedAt, endedAt } = JSON.parse(ended.stdout) as Record<string, string>;
    const lines = (await readFile(cpu, 'utf8')).trim().split('\n').map(Number);
    return {
      cpuMs: Math.max(...lines) * 1_000,
      seconds: (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1_000,
    };
  } finally {
    await bench.close();
  }
}

interface Published {
  readonly items: number;
  readonly wholeSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/** `each`: items of each of the four kinds. */
async function publication(each: number): Promise<string> {
  return withServer(async (server) => {
    const bench = await Bench.open();
    try {
      const folder = await published(join(bench.folder, 'finished'), each, server);
      const bucket = await published(`s3://${server.bucket}/finished`, each, server);
      const words = ({ wholeSeconds, cpuSeconds, peakMegabytes }: Published): string =>
        `${wholeSeconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${peakMegabytes} MB`;
      return `${folder.items} items published from a folder in ${words(folder)}; from a bucket in ${words(bucket)}: ${(bucket.wholeSeconds / folder.wholeSeconds).toFixed(1)} x the time, ${(bucket.cpuSeconds / folder.cpuSeconds).toFixed(1)} x the CPU`;
    } finally {
      await bench.close();
    }
  });
}

async function published(address: string, each: number, server: S3Server): Promise<Published> {
  await writeFinishedTree(address, each);
  const env = {
    ...process.env,
    ...server.environment,
    HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURED, address], { env });
  return JSON.parse(stdout) as Published;
}

async function withServer<T>(use: (server: S3Server) => Promise<T>): Promise<T> {
  const server = await startS3();
  Object.assign(process.env, server.environment);
  reachObjectStores(server.access);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Other sizes by the environment: ITEMS, EACH. */
export const objectStoreCases = {
  items: () => costOfItems(sizeOf('ITEMS', 400)),
  publication: () => publication(sizeOf('EACH', 2_500)),
};
