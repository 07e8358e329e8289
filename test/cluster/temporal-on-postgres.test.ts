/** A real Temporal server on PostgreSQL, with and without mutual TLS. Skipped if the programs are missing: tools.ts. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../src/local-services/server.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { desk } from '../cli/command.ts';
import { PAYLOAD_CODEC } from '../payload-codec.ts';
import { Authority, noOpenssl } from '../temporal/certificates.ts';
import { createNamespace, expectPrepared, findingsOf } from './create-namespace.ts';
import { psql, UNUSED_INDEXES } from './psql.ts';
import { startCluster, updateSchema, type Cluster } from './temporal-on-postgres.ts';
import { clusterTools, type ClusterTools } from './tools.ts';

const tools = clusterTools();
const missing = typeof tools === 'string' ? tools : noOpenssl;

describe.skipIf(missing !== null)(
  `a Temporal on PostgreSQL${missing ? ` (${missing})` : ''}`,
  () => {
    let cluster: Cluster;
    let authority: Authority;
    let others: Authority;
    beforeAll(async () => {
      [authority, others] = [new Authority('cluster'), new Authority('others')];
      const server = authority.issue('DNS:temporal.test,IP:127.0.0.1');
      const own = authority.issue('DNS:temporal.test');
      cluster = await startCluster({
        tools: tools as ClusterTools,
        tls: {
          certFile: server.certFile,
          keyFile: server.keyFile,
          caFile: authority.file,
          clientCaFile: authority.file,
          serverName: 'temporal.test',
          ownCertFile: own.certFile,
          ownKeyFile: own.keyFile,
        },
      });
    }, 120_000);
    const tlsOptions = ({ certFile, keyFile }: { certFile: string; keyFile: string }) => [
      ...['--tls-ca-path', authority.file, '--tls-server-name', 'temporal.test'],
      ...['--tls-cert-path', certFile, '--tls-key-path', keyFile],
    ];
    afterAll(async () => {
      await cluster[Symbol.asyncDispose]();
      for (const one of [authority, others]) one[Symbol.dispose]();
    });

    test('has everything after the Temporal CLI created the namespace, over mutual TLS', async () => {
      const client = authority.issue('DNS:client');
      const at = desk();
      at.write(
        'hundredfold.yaml',
        `temporal:
  address: "${cluster.address}"
  namespace: lab
  tls: { ca: ${authority.file}, cert: ${client.certFile}, key: ${client.keyFile}, serverName: temporal.test }
`,
      );
      await expectPrepared(at, {
        address: cluster.address,
        namespace: 'lab',
        tls: tlsOptions(client),
      });
      const findings = await findingsOf(at, 0);
      expect(findings.find(({ check }) => check === 'Temporal')?.found).toContain('mutual TLS');
      // The certificates of this test are valid for two days.
      const certificate = findings.find(({ check }) => check === 'Temporal client certificate');
      expect(certificate).toMatchObject({ ok: true, warning: true });
    });

    // The tests after it use the database without these indexes.
    test('has each index that docs/cluster.md advises to drop, and can be updated without them', () => {
      const indexes = (): string[] =>
        psql(cluster, 'visibility', ['-c', 'SELECT indexname FROM pg_indexes']).split('\n');
      const dropped = [
        ...readFileSync(UNUSED_INDEXES, 'utf8').matchAll(/^DROP INDEX .* (\w+);$/gm),
      ];
      const names = dropped.map(([, name]) => name);
      expect(names.length).toBeGreaterThan(40);
      expect(indexes()).toEqual(expect.arrayContaining(names));
      psql(cluster, 'visibility', ['-f', UNUSED_INDEXES]);
      expect(indexes().filter((name) => names.includes(name))).toEqual([]);
      for (const used of ['default_idx', 'by_workflow_id', 'by_keyword_07'])
        expect(indexes()).toContain(used);
      updateSchema({ tools: tools as ClusterTools }, cluster.postgres.port, 'visibility');
    });

    test('runs a campaign over mutual TLS with a payload codec', async () => {
      const services = await startLocalServices({ engine: 'synthetic', retryAfterSeconds: 0 });
      onTestFinished(() => services.close());
      const client = authority.issue('DNS:client');
      const at = desk();
      at.write(
        'hundredfold.yaml',
        `temporal:
  address: "${cluster.address}"
  namespace: encrypted
  tls: { ca: ${authority.file}, cert: ${client.certFile}, key: ${client.keyFile}, serverName: temporal.test }
  payloadCodec: "${PAYLOAD_CODEC}"
services:
  predictions: { url: "${services.url}" }
`,
      );
      at.write('rows.csv', 'id,sequence\none,MKTAYIAKQRQISFVKSHFS\ntwo,MKTAYIAKQRQISFVKSHFT\n');
      const env = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret-of-one' };
      createNamespace({
        address: cluster.address,
        namespace: 'encrypted',
        tls: tlsOptions(client),
      });
      const { stdout } = await at.runs(0, ['run', 'rows.csv', '--json'], { env });
      expect(JSON.parse(stdout)).toMatchObject({
        items: { total: 2, succeeded: 2 },
        rejected429: 0,
      });
    });

    test('reports each TLS error differently', async () => {
      const { cert, key } = authority.issue('DNS:client');
      const foreign = others.issue('DNS:client');
      const ca = authority.cert;
      const target = { address: cluster.address, namespace: 'lab', timeoutMs: 5_000 };
      const code = (tls?: object) =>
        connectClient({ ...target, ...(tls && { tls }) }).then(
          () => 'let in',
          (error: unknown) => (error as { code: string }).code,
        );
      expect(await code()).toBe('TEMPORAL_TLS_REQUIRED');
      expect(await code({ ca })).toBe('TEMPORAL_TLS_CLIENT_MISSING');
      expect(await code({ ca, cert: foreign.cert, key: foreign.key })).toBe(
        'TEMPORAL_TLS_CLIENT_REFUSED',
      );
      const expired = authority.issue('DNS:client', { expired: true });
      expect(await code({ ca, cert: expired.cert, key: expired.key })).toBe(
        'TEMPORAL_TLS_CLIENT_REFUSED',
      );
      expect(await code({ ca: others.cert, cert, key })).toBe('TEMPORAL_TLS_UNKNOWN_CA');
      expect(await code({ ca, cert, key, serverName: 'x.test' })).toBe('TEMPORAL_TLS_SERVER_NAME');
    });
  },
);
