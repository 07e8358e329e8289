/** `hundredfold deposit` as it is typed; what it writes is judged by programs of others. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { depositValidator } from '../../scripts/deposit-validator.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { desk, type Desk } from './command.ts';

async function publishedTree(at: Desk, each: number): Promise<string> {
  const folder = at.path('results', 'finished');
  const { store, end } = await writeFinishedTree(folder, each);
  await publishCampaign(store, end);
  return folder;
}

const validator = await depositValidator();
const missing = 'missing' in validator ? validator.missing : '';
const unzip = spawnSync('unzip', ['-v']).status === 0;
const absent = missing === '' ? (unzip ? '' : 'there is no unzip') : missing;

describe(`judged by others${absent === '' ? '' : ` (skipped: ${absent})`}`, () => {
  test.skipIf(absent !== '')(
    'the archive is a whole bag, and the metadata fit their schemas',
    async () => {
      if ('missing' in validator) throw new Error(validator.missing);
      const at = desk();
      const folder = await publishedTree(at, 3);
      const { stdout } = await at.runs(0, ['deposit', 'finished', '--zip', '--json']);
      const place = at.path('finished-deposit');
      expect(JSON.parse(stdout)).toMatchObject({
        campaign: 'finished',
        incomplete: ['CITATION.cff', 'datacite.json'],
        archive: { path: join(place, 'finished.zip') },
      });
      execFileSync('unzip', ['-tq', join(place, 'finished.zip')]);
      execFileSync('unzip', ['-q', join(place, 'finished.zip'), '-d', at.path('taken')]);
      const bag = at.path('taken', 'finished');
      const files = {
        bag,
        citation: join(bag, 'CITATION.cff'),
        datacite: join(bag, 'datacite.json'),
      };
      expect(await validator.validate(files)).toEqual([]);
      // The tree in it proves itself, also to this program.
      execFileSync('sha256sum', ['--strict', '--quiet', '-c', 'SHA256SUMS'], {
        cwd: join(bag, 'data'),
      });
      expect((await at.runs(0, ['verify', './taken/finished/data'])).stderr).toContain(
        'all is well',
      );
      expect(existsSync(join(folder, 'data'))).toBe(false);
      await appendFile(join(bag, 'data/items.csv'), 'x');
      writeFileSync(files.citation, 'cff-version: 1.2.0\n');
      writeFileSync(files.datacite, '{"titles":"one"}');
      const problems = await validator.validate(files);
      expect(problems.map((one) => one.split(':', 1)[0])).toEqual([
        ...['bag', 'CITATION.cff', 'datacite.json'],
      ]);
    },
    240_000,
  );
});

test('metadata that the user has completed stay, and are in the next archive', async () => {
  const at = desk();
  await publishedTree(at, 1);
  const first = await at.runs(0, ['deposit', './results/finished', '--out', 'out']);
  expect(first.stdout.trim().split('\n')).toEqual([
    at.path('out', 'CITATION.cff'),
    at.path('out', 'datacite.json'),
  ]);
  for (const name of ['CITATION.cff', 'datacite.json']) {
    const path = at.path('out', name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('TODO', 'Ours'));
  }
  const second = await at.runs(0, ['deposit', 'finished', '--out', 'out', '--zip']);
  expect(second.stderr).not.toContain('TODO');
  expect(readFileSync(at.path('out', 'CITATION.cff'), 'utf8')).toContain('Ours');
  const sums = readFileSync(at.path('out', 'finished.zip.sha256'), 'utf8');
  await rm(at.path('out', 'finished.zip'));
  await at.runs(0, ['deposit', 'finished', '--out', 'out', '--zip']);
  expect(readFileSync(at.path('out', 'finished.zip.sha256'), 'utf8')).toBe(sums);
});

test.each([
  [
    'a changed file',
    (folder: string) => appendFile(join(folder, 'items.csv'), 'x'),
    /items.csv is not/,
  ],
  [
    'an additional file',
    (folder: string) => appendFile(join(folder, 'notes.txt'), 'x'),
    /notes.txt is not in/,
  ],
  ['a missing file', (folder: string) => rm(join(folder, 'report.html')), /report.html is missing/],
])('%s: no archive is made', async (_, damage, words) => {
  const at = desk();
  const folder = await publishedTree(at, 1);
  await damage(folder);
  const { stdout } = await at.runs(3, ['deposit', 'finished', '--zip', '--json']);
  const { error } = JSON.parse(stdout) as { error: Record<string, string> };
  expect(error).toMatchObject({ code: 'DEPOSIT_NOT_WHOLE' });
  expect(error['message']).toMatch(words);
  expect(readdirSync(at.path('finished-deposit')).filter((name) => name.includes('zip'))).toEqual(
    [],
  );
});

test('killed in the middle it leaves no archive, and the same command makes it', async () => {
  const at = desk();
  await publishedTree(at, 60);
  const typed = at.type(['deposit', 'finished', '--zip']);
  const place = at.path('finished-deposit');
  const half = (): boolean =>
    existsSync(place) && readdirSync(place).some((name) => name.startsWith('.tmp-'));
  while (!half()) await delay(2);
  typed.child.kill('SIGKILL');
  await typed.ended;
  expect(readdirSync(place).filter((name) => name.endsWith('.zip'))).toEqual([]);
  await at.runs(0, ['deposit', 'finished', '--zip']);
  expect(readdirSync(place).sort()).toEqual([
    ...['CITATION.cff', 'datacite.json', 'finished.zip', 'finished.zip.sha256'],
  ]);
});
