/** A real Temporal server on PostgreSQL. Skipped if the programs are missing: tools.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../packages/local-services/src/server.ts';
import { desk, ROOT, type Desk } from '../cli/command.ts';
import { PAYLOAD_CODEC } from '../payload-codec.ts';
import { createNamespace, expectPrepared } from './create-namespace.ts';
import { psql, startCluster, updateSchema, type Cluster } from './temporal-on-postgres.ts';
import { clusterTools, type ClusterTools } from './tools.ts';

const tools = clusterTools();
const missing = typeof tools === 'string' ? tools : null;
const UNUSED_INDEXES = join(ROOT, 'deploy', 'postgresql', 'drop-unused-visibility-indexes.sql');

describe.skipIf(missing !== null)(`a Temporal on PostgreSQL (${missing ?? 'run'})`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ tools: tools as ClusterTools });
  }, 120_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  function configured(namespace: string, more = '', others = ''): Desk {
    const at = desk();
    const temporal = `address: "${cluster.address}", namespace: ${namespace}`;
    at.write('hundredfold.yaml', `temporal: { ${temporal}${more} }\n${others}`);
    return at;
  }

  test('has everything after the Temporal CLI created the namespace', async () => {
    await expectPrepared(configured('lab'), { address: cluster.address, namespace: 'lab' });
  });

  // The test after it uses the database without these indexes.
  test('has each index that docs/cluster.md advises to drop, and can be updated without them', () => {
    const indexes = (): string[] =>
      psql(cluster, ['-c', 'SELECT indexname FROM pg_indexes']).split('\n');
    const dropped = readFileSync(UNUSED_INDEXES, 'utf8').matchAll(/^DROP INDEX .* (\w+);$/gm);
    const names = [...dropped].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(40);
    expect(indexes()).toEqual(expect.arrayContaining(names));
    psql(cluster, ['-f', UNUSED_INDEXES]);
    expect(indexes().filter((name) => names.includes(name))).toEqual([]);
    for (const used of ['default_idx', 'by_workflow_id', 'by_keyword_07'])
      expect(indexes()).toContain(used);
    updateSchema({ tools: tools as ClusterTools }, cluster.postgres.port, 'visibility');
  });

  test('runs a campaign with a payload codec', async () => {
    const services = await startLocalServices({ engine: 'synthetic', retryAfterSeconds: 0 });
    onTestFinished(() => services.close());
    const predictions = `services: { predictions: { url: "${services.url}" } }`;
    const at = configured('encrypted', `, payloadCodec: "${PAYLOAD_CODEC}"`, predictions);
    at.write('rows.csv', 'id,sequence\none,MKTAYIAKQRQISFVKSHFS\ntwo,MKTAYIAKQRQISFVKSHFT\n');
    createNamespace({ address: cluster.address, namespace: 'encrypted' });
    const env = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret-of-one' };
    const { stdout } = await at.runs(0, ['run', 'rows.csv', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ items: { total: 2, succeeded: 2 }, rejected429: 0 });
  });
});
