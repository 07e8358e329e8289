/**
 * Hosts that share only Temporal and a bucket: each has its own folder, ledger and worker process. One worker is killed
 * after another and the store is unavailable for a while; the other worker finishes, and the tree is pulled to disk.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { openStore } from '../../src/store/open-store.ts';
import { atMostOneJob, neverOverBudget, neverRefusedForRate } from '../promises.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { TOKEN, rehearse } from './rehearsal.ts';

const ROWS = 60;
const KILLS = 5;
const LIMIT = { limit: 12, seconds: 4 };

describe.skipIf(WITHOUT_S3 !== null)('a campaign in a bucket', () => {
  let server: S3Server;
  serveS3((started) => {
    server = started;
  });

  interface Place {
    /** A Temporal server; default: the embedded one. */
    readonly address?: string;
    readonly taskQueue: string;
    /** Default: in the bucket. */
    readonly store?: string;
  }

  /** How a command is run on a host that has the services of `hundredfold.yaml`. */
  function place(host: Desk, { store, ...temporal }: Place): { readonly env: NodeJS.ProcessEnv } {
    const url = store ?? `s3://${server.bucket}/${temporal.taskQueue}`;
    const keys = { temporal, store: { url, endpoint: server.access.endpoint } };
    const services = readFileSync(host.path('hundredfold.yaml'), 'utf8');
    const file = host.write('placed.yaml', services + '\n' + stringify(keys));
    const own = { HUNDREDFOLD_CONFIG: file, HUNDREDFOLD_STATE_DIR: host.path('state') };
    return { env: { ...TOKEN, ...server.environment, ...own } };
  }

  async function countEnded(address: string): Promise<number> {
    const store = await openStore(address);
    let files = 0;
    for await (const key of store.list('sequences/')) files += Number(key.endsWith('/result.json'));
    return files;
  }

  test('is finished by two hosts of which one or the other is killed five times, and pulled completely', async () => {
    const queue = `bucket-${process.pid}`;
    const hosts = [desk(), desk(), desk()] as const;
    const [first, second, third] = hosts;
    const service = await rehearse(first, LIMIT);
    const yaml = readFileSync(first.path('hundredfold.yaml'), 'utf8');
    for (const host of [second, third]) host.write('hundredfold.yaml', yaml);
    const temporal = { address: inject('temporal'), taskQueue: queue };
    const typing = (host: Desk) => place(host, temporal);

    const workers = [first, second].map((host) => host.type(['worker'], typing(host)));
    for (const worker of workers) await worker.says('working for');
    peptides(third, 'night', ROWS);
    const run = third.type(['run', 'night.csv', '--no-worker', '--yes', '--json'], typing(third));

    const address = `s3://${server.bucket}/${queue}/night`;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await expect
        .poll(() => countEnded(address), { timeout: 60_000 })
        .toBeGreaterThanOrEqual(8 * kill);
      const at = kill % 2;
      const host = at === 0 ? first : second;
      workers[at]?.kill('SIGKILL');
      await workers[at]?.ended;
      if (kill < KILLS) workers[at] = host.type(['worker'], typing(host));
    }
    // The store becomes unavailable as well, while jobs run at the service, and returns.
    await server.kill();
    await delay(3_000);
    await server.start();

    const { stdout } = await run.endsWith(0);
    expect(JSON.parse(stdout)).toMatchObject({
      campaign: 'night',
      state: 'completed',
      out: address,
      rejected429: 0,
      items: { total: ROWS, succeeded: ROWS },
    });
    // No host has its own tree.
    for (const host of hosts) expect(existsSync(host.path('results'))).toBe(false);

    const { stdout: pulled } = await third.runs(0, ['pull', 'night', '--json'], typing(third));
    expect(JSON.parse(pulled)).toMatchObject({ faults: [] });
    // By its address, on a machine whose store is another place.
    const elsewhere = place(third, { ...temporal, store: './results' });
    const byAddress = ['pull', `${address}/`, '--out', 'copy', '--json'];
    const some = await third.runs(0, [...byAddress, '--where', 'state=succeeded'], elsewhere);
    const all = await third.runs(0, byAddress, elsewhere);
    const { files } = JSON.parse(some.stdout) as { files: number };
    const copied = { campaign: 'night', from: address, to: third.path('copy', 'night') };
    expect(JSON.parse(all.stdout)).toMatchObject({ ...copied, kept: files, faults: [] });
    workers[0]?.kill('SIGTERM');
    await workers[0]?.endsWith(0);
    const journal = await service.end();
    atMostOneJob(journal, ROWS);
    neverRefusedForRate(journal);
    neverOverBudget(journal, { limit: LIMIT.limit, windowMs: LIMIT.seconds * 1_000 });
  });

  /** Two machines, each with an embedded server: their ledgers do not see each other. */
  async function twoServers(limits: { limit: number; seconds: number }) {
    const [one, two] = [desk(), desk()];
    const service = await rehearse(one, limits);
    two.write('hundredfold.yaml', readFileSync(one.path('hundredfold.yaml'), 'utf8'));
    const on = (host: Desk, prefix: string) => place(host, { taskQueue: prefix });
    return { one, two, service, on };
  }

  test('continues at a second embedded server after the first one was killed, and a window', async () => {
    const limits = { limit: 6, seconds: 4 };
    const { one, two, service, on } = await twoServers(limits);
    for (const host of [one, two]) peptides(host, 'night', 24);
    const killed = one.type(['run', 'night.csv', '--yes'], on(one, 'both'));
    await expect.poll(() => countEnded(`s3://${server.bucket}/both/night`)).toBeGreaterThan(5);
    killed.kill('SIGKILL');
    await killed.ended;
    const left = one.record('server')?.['pid'];
    if (typeof left === 'number') process.kill(left, 'SIGKILL');

    const run = two.type(['run', 'night.csv', '--yes'], on(two, 'both'));
    await run.says('cannot be seen here, and counts as the whole limit of 4 s');
    // As the message about the token says, because the first one certainly sends nothing.
    await run.says('remove the objects below');
    const marks = await openStore(/below (s3:\S+)/.exec(run.stderr)?.[1] ?? '');
    for await (const key of marks.list('used-')) await marks.remove(key);
    await run.endsWith(0);
    const journal = await service.end();
    expect(journal.filter(({ accepted }) => accepted)).toHaveLength(24);
    neverRefusedForRate(journal);
    neverOverBudget(journal, { limit: limits.limit, windowMs: limits.seconds * 1_000 });
  });
});
