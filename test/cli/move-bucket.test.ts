/** `hundredfold move` into and out of a bucket: the tree is copied, and the campaign keeps its settings. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { isObjectAddress } from '../../src/domain/object-store.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { campaignWorkflowId } from '../../src/workflows/names.ts';
import { atMostOneJob, neverOverBudget, neverRefusedForRate, noItemLost } from '../promises.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const LIMITS = { limit: 5, windowMs: 8_000 };
const ROWS = 12;

describe.skipIf(WITHOUT_S3 !== null)('an open campaign', () => {
  let server: S3Server;
  serveS3((started) => {
    server = started;
  });

  test.each(['into a bucket', 'out of a bucket'])(
    'is moved %s, with its share, priority and reserve',
    async (way) => {
      const at = desk();
      const name = `move-${randomBytes(3).toString('hex')}`;
      const service = await rehearse(at, { limit: LIMITS.limit, seconds: LIMITS.windowMs / 1_000 });
      const ids = peptides(at, name, ROWS);
      const { endpoint } = server.access;
      const bucket = `store: { url: "s3://${server.bucket}/${name}", endpoint: "${endpoint}" }\n`;
      const services = readFileSync(at.path('hundredfold.yaml'), 'utf8');
      const [here, there] = way === 'into a bucket' ? ['', bucket] : [bucket, ''];
      at.write('hundredfold.yaml', `${services}\n${here}`);
      at.write(
        'there.yaml',
        `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }\n${services}\n${there}`,
      );
      const env = { ...TOKEN, ...server.environment };
      const standing = ['--priority', '2'];
      await at.runs(0, ['run', `${name}.csv`, ...standing, '--detach', '--yes'], { env });
      const submitted = async (): Promise<number> => {
        const { stdout } = await at.runs(0, ['status', name, '--json'], { env });
        return (JSON.parse(stdout) as { submissions: number }).submissions;
      };
      await expect.poll(submitted, { timeout: 60_000, interval: 500 }).toBeGreaterThanOrEqual(4);
      await at.runs(0, ['move', name, '--to', 'there.yaml'], { env });
      await at.runs(0, ['stop'], { env });

      const client = await connectClient({ address: inject('temporal'), namespace: 'default' });
      const { memo } = await client.workflow.getHandle(campaignWorkflowId(name)).describe();
      await client.connection.close();
      expect(memo?.['priority']).toBe(2);
      expect(isObjectAddress(String(memo?.['out']))).toBe(way === 'into a bucket');

      const worker = at.type(['worker', '--config', 'there.yaml'], { env });
      await at.runs(0, ['watch', name, '--config', 'there.yaml'], { env });
      worker.kill('SIGTERM');
      await worker.endsWith(0);
      const store = await openStore(String(memo?.['out']));
      expect(await treeFaults(store)).toEqual([]);
      if (way === 'out of a bucket') await noItemLost(store.location, ids);
      const journal = await service.end();
      atMostOneJob(journal, ROWS);
      neverOverBudget(journal, LIMITS);
      neverRefusedForRate(journal);
    },
    240_000,
  );
});
