/** `hundredfold verify` as a user runs it, on a published tree in a folder and in a bucket. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { desk, type Desk, type Typing } from './command.ts';

if (WITHOUT_S3 !== null) console.warn(`skipped: ${WITHOUT_S3}`);

async function findings(at: Desk, code: number, campaign: string, typing: Typing = {}) {
  const { stdout } = await at.runs(code, ['verify', campaign, '--json'], typing);
  const { ok, items, faults } = JSON.parse(stdout) as Record<string, unknown>;
  const all = faults as Record<string, string>[];
  for (const { remedy } of all) expect(remedy).toMatch(/\S/);
  return { ok, items, faults: all.map(({ check, path }) => `${check} ${path}`) };
}

test('a whole tree is found by name and by folder, has no problems, and each fault is named with its path', async () => {
  const at = desk();
  const folder = at.damages('results', 'finished');
  const { store, end } = await writeFinishedTree(folder, 4);
  await publishCampaign(store, end);
  const { stdout, stderr } = await at.runs(0, ['verify', 'finished']);
  expect(stderr).toContain('no problems found: 16 items');
  expect(stdout.split('\n').map((line) => line.trim().split(/\s+/).join(' '))).toEqual([
    'CHECK PATH FOUND WHAT TO DO',
    ...['records', 'files', 'tables', 'summary', 'crate', 'checksums'].map(
      (one) => `${one} - ok -`,
    ),
    '',
  ]);
  const well = { ok: true, items: 16, faults: [] };
  expect(await findings(at, 0, './results/finished')).toEqual(well);

  await appendFile(join(folder, 'sequences/sequence-00001/result.json'), ' ');
  await appendFile(join(folder, 'items.csv'), 'another,molecule,succeeded,,,,,,,,,,,,\n');
  const { ok, faults } = await findings(at, 3, 'finished');
  expect(ok).toBe(false);
  const changed = ['files sequences/sequence-00001/result.json', 'tables items.csv'];
  expect(faults).toEqual(expect.arrayContaining(changed));
});

test('of a campaign that has not ended it says only that, and how far it is', async () => {
  const at = desk();
  const { store } = await writeFinishedTree(at.path('results', 'finished'), 4);
  await store.write('molecules/molecule-00001/sending-0-0.json', '{}');
  const { stdout, stderr } = await at.runs(2, ['verify', 'finished']);
  expect(stdout).toBe('');
  expect(stderr).toContain('finished has not ended (16 of 16)');
  expect(stderr).not.toMatch(/sending|remove/i);
});

describe.skipIf(WITHOUT_S3 !== null)('a tree in a bucket', () => {
  let server: S3Server;
  serveS3((started) => {
    server = started;
  });

  test('is verified by the name of the campaign and by its address, and each fault is named', async () => {
    const at = desk();
    const root = `s3://${server.bucket}/verified`;
    const { store, end } = await writeFinishedTree(`${root}/finished`, 2);
    await publishCampaign(store, end);
    const place = {
      HUNDREDFOLD_STORE_URL: root,
      HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint,
    };
    const typing = { env: { ...server.environment, ...place } };
    expect(await findings(at, 0, 'finished', typing)).toEqual({ ok: true, items: 8, faults: [] });
    await store.write('sequences/sequence-00001/result.json', '{}');
    await store.remove('molecules/molecule-00001/job.log');
    await store.write('notes.txt', 'x');
    const { ok, faults } = await findings(at, 3, `${root}/finished`, typing);
    expect(ok).toBe(false);
    expect(faults).toEqual(
      expect.arrayContaining([
        'files sequences/sequence-00001/result.json',
        'files molecules/molecule-00001/job.log',
        'checksums notes.txt',
      ]),
    );
  });
});
