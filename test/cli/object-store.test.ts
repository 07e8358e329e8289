/**
 * Hosts that share only Temporal and a bucket: each has its own folder, ledger and worker process. One worker is killed
 * in the middle and the store is unavailable for a while; the other worker finishes, and the tree is pulled to disk.
 */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { treeIsWhole } from '../promises.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { ROOT, desk, type Desk } from './command.ts';
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
    const ids = Array.from({ length: ROWS }, (_, n) => `s${n}`);
    const residues = 'ACDEFGHIKLMNPQRSTVWY';
    const rows = ids.map((id, n) => {
      const tail = `${residues[n % 20]}${residues[Math.floor(n / 20)]}`;
      return `${id},MKTAYIAKQRQISFVK${tail},dynamine`;
    });
    third.rows.set('night', ids);
    third.write('night.csv', ['id,sequence,predictors', ...rows].join('\n'));
    const run = third.type(['run', 'night.csv', '--no-worker', '--yes', '--json'], typing(third));

    const address = `s3://${server.bucket}/${queue}/night`;
    const store = await openStore(address);
    const ended = async (): Promise<number> => {
      let files = 0;
      for await (const key of store.list('sequences/'))
        if (key.endsWith('/result.json')) files += 1;
      return files;
    };
    while ((await ended()) < 5) await delay(100);
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

    const pull = third.type(['pull', 'night', '--json'], typing(third));
    const pulled = JSON.parse((await pull.endsWith(0)).stdout) as { copied: number; faults: [] };
    expect(pulled.faults).toEqual([]);
    const report = await third.type(['report', 'night', '--json'], typing(third)).endsWith(0);
    expect(JSON.parse(report.stdout)).toMatchObject({ report: `${address}/report.html` });
    workers[1]?.kill('SIGTERM');
    await workers[1]?.endsWith(0);
  });

  test('as documented: is pulled, pulled in part, and continued', async () => {
    const host = desk();
    const env = { ...environment(host, 'docs'), HUNDREDFOLD_TEMPORAL_ADDRESS: '' };
    const manifest = join(ROOT, 'batches', 'demo');
    await host.type(['run', manifest, '--services', 'local', '--yes'], { env }).endsWith(0);

    const page = readFileSync(join(ROOT, 'docs', 'object-store.md'), 'utf8');
    const lines = page.match(/^hundredfold pull .+$/gm) ?? [];
    expect(lines).toHaveLength(2);
    const printed: Transferred[] = [];
    for (const line of lines) {
      const words = [...line.split(' ').slice(1), '--json'];
      printed.push(JSON.parse((await host.type(words, { env }).endsWith(0)).stdout) as Transferred);
    }
    const [whole, part] = printed;
    expect(whole).toMatchObject({ kept: 0, faults: [] });
    expect(part).toMatchObject({ copied: 0, faults: [] });
    expect(part?.kept).toBeLessThan(whole?.copied ?? 0);
    const copy = host.path('copy', 'demo');
    await treeIsWhole(copy);

    // A missing file and a changed one are fetched again, and only these.
    const [id = ''] = readdirSync(join(copy, 'molecules'));
    rmSync(join(copy, 'molecules', id, 'record.json'));
    writeFileSync(join(copy, 'items.csv'), 'edited');
    const again = host.type(['pull', 'demo', '--out', 'copy', '--json'], { env });
    expect(JSON.parse((await again.endsWith(0)).stdout)).toMatchObject({ copied: 2 });
  });
});

interface Transferred {
  readonly copied: number;
  readonly kept: number;
  readonly faults: readonly string[];
}
