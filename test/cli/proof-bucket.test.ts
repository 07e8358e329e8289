/** `hundredfold verify` and `deposit` of a tree in a bucket, on a real S3 server. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { openStore } from '../../src/store/open-store.ts';
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

  test('is deposited into a folder, also after a kill, and into a bucket, with the same bytes', async () => {
    const at = desk();
    const { root, store, typing } = await publishedTree(10);
    const place = at.path('finished-deposit');
    const unfinished = join(place, 'finished.zip.unfinished');
    const typed = at.type(['deposit', 'finished', '--zip'], typing);
    // More than one write batch: some of it is in the journal.
    const begun = (): boolean => existsSync(unfinished) && statSync(unfinished).size > 1_500_000;
    while (!begun() && !existsSync(join(place, 'finished.zip'))) await delay(1);
    typed.child.kill('SIGKILL');
    await typed.ended;
    const { stderr } = await at.runs(0, ['deposit', `${root}/finished`, '--zip'], typing);
    expect(stderr).toMatch(/kept \d+ files of an earlier, interrupted attempt/);
    const archive = readFileSync(join(place, 'finished.zip'));
    execFileSync('python3', ['-m', 'zipfile', '-t', join(place, 'finished.zip')]);
    expect(readdirSync(place)).not.toContain('finished.zip.unfinished');

    const out = `${root}/deposit`;
    const { stdout } = await at.runs(
      0,
      ['deposit', 'finished', '--zip', '--out', out, '--json'],
      typing,
    );
    const there = await openStore(out);
    const copy = Buffer.from((await there.read('finished.zip')) ?? []);
    expect(copy.equals(archive)).toBe(true);
    const sha256 = createHash('sha256').update(copy).digest('hex');
    expect(JSON.parse(stdout)).toMatchObject({ archive: { path: `${out}/finished.zip`, sha256 } });
    expect(await there.readText('finished.zip.sha256')).toBe(`${sha256}  finished.zip\n`);

    execFileSync('python3', ['-m', 'zipfile', '-e', join(place, 'finished.zip'), at.path('taken')]);
    const { stderr: verified } = await at.runs(0, ['verify', './taken/finished/data'], typing);
    expect(verified).toContain('no problems found');

    await store.remove('report.html');
    const refused = ['deposit', 'finished', '--zip', '--out', `${root}/other`, '--json'];
    const { stdout: told } = await at.runs(3, refused, typing);
    expect(JSON.parse(told)).toMatchObject({ error: { code: 'DEPOSIT_NOT_WHOLE' } });
    expect(await (await openStore(`${root}/other`)).exists('finished.zip')).toBe(false);
  }, 240_000);
});
