/** `hundredfold verify` of a tree in a bucket, on a real S3 server. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { desk, type Desk } from './command.ts';

if (WITHOUT_S3 !== null) console.warn(`skipped: ${WITHOUT_S3}`);

describe.skipIf(WITHOUT_S3 !== null)('a tree in a bucket', () => {
  let server: S3Server;
  serveS3((started) => {
    server = started;
  });

  /** A published tree in its own prefix, and the arguments to find it. */
  async function publishedTree(each: number) {
    const root = `s3://${server.bucket}/${randomBytes(4).toString('hex')}`;
    const { store, end } = await writeFinishedTree(`${root}/finished`, each);
    await publishCampaign(store, end);
    const env = {
      ...server.environment,
      HUNDREDFOLD_STORE_URL: root,
      HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint,
    };
    return { root, store, typing: { env } };
  }

  async function findings(at: Desk, code: number, typed: readonly string[], env: object) {
    const { stdout } = await at.runs(code, ['verify', ...typed, '--json'], env);
    const { ok, items, location, faults } = JSON.parse(stdout) as Record<string, unknown>;
    const told = (faults as Record<string, string>[]).map(({ check, path }) => `${check} ${path}`);
    return { ok, items, location, faults: told };
  }

  test('is verified by the name of the campaign and by its address, and each fault is named', async () => {
    const at = desk();
    const { root, store, typing } = await publishedTree(2);
    const address = `${root}/finished`;
    const well = { ok: true, items: 8, location: address, faults: [] };
    expect(await findings(at, 0, ['finished'], typing)).toEqual(well);
    expect(await findings(at, 0, [address], typing)).toEqual(well);

    await store.write('sequences/sequence-00001/result.json', '{}');
    await store.remove('molecules/molecule-00001/job.log');
    await store.write('notes.txt', 'x');
    const { ok, faults } = await findings(at, 3, [address], typing);
    expect(ok).toBe(false);
    expect(faults).toEqual(
      expect.arrayContaining([
        'files sequences/sequence-00001/result.json',
        'files molecules/molecule-00001/job.log',
        'checksums notes.txt',
      ]),
    );
  }, 120_000);
});
