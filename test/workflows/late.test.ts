/** A job that is late is named wherever a user looks. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { EngineJob } from '../../packages/local-services/src/engines/engine.ts';
import type { PageData } from '../../src/report/page-data.ts';
import { listItemLines, readOpenItems } from '../../src/runner/items.ts';
import { observe } from '../../src/runner/observe.ts';
import { openTree } from '../../src/runner/tree.ts';
import type { Session } from '../../src/temporal/host/session.ts';
import { sequences } from '../rig.ts';
import { openRig } from './faulty.ts';

test('a job that runs more than ten times as long as others of its size is named as late: in status, items and the report', async () => {
  const jobMs = (job: EngineJob) =>
    job.kind === 'sequence' && job.fasta.includes(sequences(6)[5]?.sequence ?? '') ? 60_000 : 20;
  const rig = await openRig({ jobMs });
  const { client } = rig;
  const { name, folder, handle } = await rig.start(sequences(6));
  const words = /late: 1\d s, others of its size took 1 s/;
  const look = async () =>
    (await observe({ client, role: 'joined' } as Session, { name, folder })).hindered;
  await expect.poll(look, { timeout: 30_000 }).toMatch(words);
  expect(await look()).toMatch(new RegExp(`^seq-5 is ${words.source}\\.$`));

  const tree = await openTree(folder);
  const lines = await listItemLines(tree, await readOpenItems(client, name));
  expect(lines.filter(({ message }) => message !== null)).toMatchObject([{ id: 'seq-5' }]);
  expect(lines[5]?.message).toMatch(words);
  await tree.report();
  const [, packed = ''] =
    /id="page-data"[^>]*>([^<]+)</.exec(await readFile(join(folder, 'report.html'), 'utf8')) ?? [];
  const data = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as PageData;
  expect(data.table.result[data.table.id.indexOf('seq-5')]).toMatch(words);
  await handle.cancel();
  await handle.result();
});
