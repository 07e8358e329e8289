/** `hundredfold export` as a user runs it. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { FORMATS } from '../../src/export/formats.ts';
import { desk } from './command.ts';

test('the formats are listed, and a campaign is exported by its name and by the folder of its tree', async () => {
  const at = desk();
  const list = await at.runs(0, ['export', '--list']);
  const [header = '', ...lines] = list.stdout.trimEnd().split('\n');
  expect(header).toMatch(/^FORMAT +KINDS +CONTENT +LOADED BY$/);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(FORMATS.map(({ name }) => name));

  await writeFinishedTree(at.path('results', 'finished'), 8);
  const byName = await at.runs(0, ['export', 'finished', '--to', 'sdf']);
  expect(byName.stdout).toBe(`${at.path('export', 'finished-sdf')}\n`);
  expect(byName.stderr).toContain('left out: molecule-00007: it is failed: JOB_FAILED');
  const where = ['--where', 'id=molecule-00001,molecule-00002', '--out', 'two'];
  const two = ['export', 'results/finished', '--to', 'gromacs', ...where, '--json'];
  const { stdout } = await at.runs(0, two);
  expect(JSON.parse(stdout)).toMatchObject({ format: 'gromacs', exported: 2 });
  expect(existsSync(at.path('two', 'ligands', 'molecule-00001.itp'))).toBe(true);
  expect(readFileSync(at.path('two', 'export.json'), 'utf8')).toContain('"exported": 2');

  // A ligand that is skipped makes the exit code 3.
  at.write('results/finished/molecules/molecule-00001/input.smi', 'CCCC');
  const { stderr } = await at.runs(3, ['export', 'finished', '--to', 'smi']);
  expect(stderr).toContain('left out: molecule-00001: molecules/molecule-00001/input.smi is not');
});
