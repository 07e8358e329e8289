/** A molecule job with more than one result set (contract of the molecule service, 2.4). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { printEnd } from '../../src/cli/text/summary.ts';
import { endedCampaign } from '../../src/report/campaign-document.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { openWithGoBetween } from './faulty.ts';

test('all result sets are kept, the first is used, and item.json and the command report it', async () => {
  const { rig, between } = await openWithGoBetween();
  between.rewrite = (_, answer) => {
    if (!answer.body.includes('"results":[{')) return answer;
    const record = JSON.parse(answer.body) as { results: Record<string, string>[] };
    const second = { ...record.results[0], em_mdp: 'of the second set' };
    return { ...answer, body: JSON.stringify({ ...record, results: [...record.results, second] }) };
  };
  const ran = await rig.run([
    { id: 'one', smiles: 'CCO' },
    { id: 'two', smiles: 'OCC' },
  ]);
  expect(ran.progress.ended.succeeded).toBe(2);
  // The second row shares the job of the first.
  for (const id of ['one', 'two']) {
    const folder = join(ran.folder, 'molecules', id);
    expect(await readFile(join(folder, 'em.mdp'), 'utf8')).not.toBe('of the second set');
    expect(await readFile(join(folder, 'set-2', 'em.mdp'), 'utf8')).toBe('of the second set');
    expect(await readdir(join(folder, 'set-2'))).toHaveLength(19);
    const item = JSON.parse(await readFile(join(folder, 'item.json'), 'utf8')) as object;
    expect(item).toMatchObject({
      warnings: [{ code: 'RESULT_SEVERAL_SETS', message: expect.stringContaining('set-2/') }],
    });
  }
  const ended = await endedCampaign(await openFileStore(ran.folder), ran.folder);
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  printEnd(ended);
  const words = said.mock.calls.map(([text]) => String(text)).join('');
  said.mockRestore();
  expect(words).toContain('warning: 2 items with several result sets');
});
