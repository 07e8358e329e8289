/** `hundredfold deposit` as a user runs it; independent programs validate its output. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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

describe(`checked by independent validators${absent === '' ? '' : ` (skipped: ${absent})`}`, () => {
  test.skipIf(absent !== '')(
    'the archive is a complete bag, and the metadata match their schemas',
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
      // The tree in it is self-verifying, also for this program.
      execFileSync('sha256sum', ['--strict', '--quiet', '-c', 'SHA256SUMS'], {
        cwd: join(bag, 'data'),
      });
      expect((await at.runs(0, ['verify', './taken/finished/data'])).stderr).toContain(
        'no problems found',
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

test('metadata completed by the user are kept, and included in the next archive', async () => {
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
])('%s: no archive is created', async (_, damage, words) => {
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

const UNFINISHED = 'finished.zip.unfinished';

/** Files of the tree that are complete in an unfinished archive, by its journal. */
function complete(place: string): string[] {
  const journal = new DatabaseSync(join(place, `${UNFINISHED}.db`));
  try {
    const rows = journal.prepare("SELECT path FROM entries WHERE path LIKE '%/data/%'").all();
    return rows.map(({ path }) => String(path).replace('finished/data/', ''));
  } catch {
    // Killed before the first entry.
    return [];
  } finally {
    journal.close();
  }
}

/** Would fail a command that reads it again: the tree would differ from what was published. */
function spoil(folder: string, keys: readonly string[]): void {
  for (const key of keys) {
    if (/^(molecules|sequences|alignments|shifts)\//.test(key))
      writeFileSync(join(folder, key), '');
  }
}

test('a deposit that is killed repeatedly continues, and reads no file twice', async () => {
  const at = desk();
  const folder = await publishedTree(at, 40);
  await at.runs(0, ['deposit', 'finished', '--zip', '--out', 'whole']);
  const whole = at.path('whole', 'finished.zip');
  const { size } = statSync(whole);
  const place = at.path('finished-deposit');
  const unfinished = join(place, UNFINISHED);
  const far = (): number => (existsSync(unfinished) ? statSync(unfinished).size : 0);
  const reached: number[] = [];
  for (let kills = 0; kills < 3; kills += 1) {
    const typed = at.type(['deposit', 'finished', '--zip']);
    const until = ((kills + Math.random()) / 4) * size;
    while (far() <= until && !existsSync(join(place, 'finished.zip'))) await delay(1);
    typed.child.kill('SIGKILL');
    await typed.ended;
    expect(readdirSync(place)).not.toContain('finished.zip');
    const keys = complete(place);
    reached.push(keys.length);
    spoil(folder, keys);
  }
  expect(reached).toEqual(reached.toSorted((one, other) => one - other));
  expect(reached.at(-1)).toBeGreaterThan(0);
  const { stderr } = await at.runs(0, ['deposit', 'finished', '--zip']);
  expect(stderr).toMatch(/kept \d+ files of an earlier, interrupted attempt/);
  expect(readdirSync(place).sort()).toEqual([
    ...['CITATION.cff', 'datacite.json', 'finished.zip', 'finished.zip.sha256'],
  ]);
  expect(readFileSync(join(place, 'finished.zip')).equals(readFileSync(whole))).toBe(true);
  execFileSync('sha256sum', ['--strict', '--quiet', '-c', 'finished.zip.sha256'], { cwd: place });
  if (unzip) execFileSync('unzip', ['-tqq', join(place, 'finished.zip')]);
}, 240_000);
