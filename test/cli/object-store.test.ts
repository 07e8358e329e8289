/**
 * Hosts that share only Temporal and a bucket: each has its own folder, ledger and worker process. One worker is killed
 * in the middle and the store is unavailable for a while; the other worker finishes, and the tree is pulled to disk.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { TOKEN, rehearse } from './rehearsal.ts';

const ROWS = 40;
const LIMIT = { limit: 12, seconds: 4 };

describe.skipIf(WITHOUT_S3 !== null)('a campaign in a bucket', () => {
  let server: S3Server;
  serveS3((started) => {
    server = started;
  });

  /** Runs a command on a host with the services at `url`. */
  function environment(host: Desk, queue: string): NodeJS.ProcessEnv {
    return {
      ...TOKEN,
      ...server.environment,
      HUNDREDFOLD_TEMPORAL_ADDRESS: inject('temporal'),
      HUNDREDFOLD_TEMPORAL_TASK_QUEUE: queue,
      HUNDREDFOLD_STORE_URL: `s3://${server.bucket}/${queue}`,
      HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint,
      HUNDREDFOLD_STATE_DIR: host.path('state'),
    };
  }

  test('is finished by the remaining worker, and pulled completely', async () => {
    const queue = `bucket-${process.pid}`;
    const hosts = [desk(), desk(), desk()] as const;
    const [first, second, third] = hosts;
    await rehearse(first, LIMIT);
    const yaml = readFileSync(first.path('hundredfold.yaml'), 'utf8');
    for (const host of [second, third]) host.write('hundredfold.yaml', yaml);
    const typing = (host: Desk) => ({ env: environment(host, queue) });

    const workers = [first, second].map((host) => host.type(['worker'], typing(host)));
    for (const worker of workers) await worker.says('working for');
    peptides(third, 'night', ROWS);
    const run = third.type(['run', 'night.csv', '--no-worker', '--yes', '--json'], typing(third));

    const address = `s3://${server.bucket}/${queue}/night`;
    const store = await openStore(address);
    const ended = async () => {
      let files = 0;
      for await (const key of store.list('sequences/'))
        files += Number(key.endsWith('/result.json'));
      return files;
    };
    await expect.poll(ended).toBeGreaterThanOrEqual(5);
    workers[0]?.kill('SIGKILL');
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
    workers[1]?.kill('SIGTERM');
    await workers[1]?.endsWith(0);
  });

  test('is refused to a second embedded server with the same token, which submits nothing', async () => {
    const [one, two] = [desk(), desk()];
    const service = await rehearse(one, { limit: 3, seconds: 4 });
    const services = readFileSync(one.path('hundredfold.yaml'), 'utf8');
    two.write('hundredfold.yaml', services);
    // On different machines: their ledgers do not see each other.
    const on = (host: Desk, prefix: string) => ({
      env: { ...environment(host, prefix), HUNDREDFOLD_TEMPORAL_ADDRESS: '' },
    });
    peptides(one, 'night', 4);
    peptides(two, 'day', 4);
    await one.runs(0, ['run', 'night.csv', '--yes'], on(one, 'anna'));
    const { stderr } = await two.runs(2, ['run', 'day.csv', '--yes'], on(two, 'bert'));
    expect(stderr).toContain('TOKEN_LEASED');
    expect(stderr).toContain(one.path());
    expect(stderr).toContain('hundredfold move');
    expect(await service.end()).toHaveLength(4);
  });
});
