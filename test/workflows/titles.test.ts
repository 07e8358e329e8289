/** What users see at the service: the title of a row in the name of its job. */
import { expect, onTestFinished, test } from 'vitest';
import { Rig, sequences } from '../rig.ts';

test('the service receives the title of a row as part of job_name', async () => {
  const rig = await Rig.open({ engine: 'synthetic', jobMs: 20 });
  onTestFinished(() => rig.close());
  const [plain, ...titled] = sequences(3);
  const rows = [plain, ...titled.map((row) => ({ ...row, title: 'Ubiquitin, 1UBQ' }))];
  const { progress } = await rig.run(rows as object[], 'titles');
  expect(progress.ended.succeeded).toBe(3);
  const names = rig.services.journal().map(({ jobName }) => jobName ?? '');
  expect(names.toSorted()).toEqual([
    expect.stringMatching(/^titles\.seq-0\.[0-9a-f]{16}$/),
    expect.stringMatching(/^titles\.seq-1\.Ubiquitin_1UBQ\.[0-9a-f]{16}$/),
    expect.stringMatching(/^titles\.seq-2\.Ubiquitin_1UBQ\.[0-9a-f]{16}$/),
  ]);
});
