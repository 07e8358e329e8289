/** `plan` shows what a run would do, and does none of it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

interface Document {
  readonly submissions: number;
  readonly endsAt: string | null;
  readonly [key: string]: unknown;
}

/** Every file of the desk with its bytes, except those that a running server writes. */
function everything(at: Desk): Record<string, string> {
  const names = readdirSync(at.folder, { recursive: true, encoding: 'utf8' });
  const ours = names
    .filter((name) => !/^(\.hundredfold|services\.db|\.cache|\.local)/.test(name))
    // A host releases it some time after its campaign has ended.
    .filter((name) => !name.includes('/.hundredfold/lease/'));
  return Object.fromEntries(
    ours.sort().map((name) => {
      const path = at.path(name);
      return [name, statSync(path).isFile() ? readFileSync(path, 'base64') : ''];
    }),
  );
}

test('a manifest is checked completely, without a service, a Temporal server or an output folder', async () => {
  const at = desk();
  const lines = [
    'id,kind,sequence,smiles,predictors,project',
    'p1,,MKTAYIAKQR,,,x',
    'p2,,MKTAYIAKQR,,agmata,x',
    'm1,,,CCO,,x',
    'm1,,,CCCO,,x',
    'p3,,MKTAYIAKLL,,dynamin,x',
  ];
  at.write('night.csv', `${lines.join('\n')}\n`);
  const before = everything(at);
  const text = await at.runs(2, ['plan', 'night.csv']);
  expect(text.stderr).toBe('');
  expect(text.stdout).toMatch(/night: 5 rows \(2 molecules, 3 sequences\)/);
  expect(text.stdout).toMatch(/errors +\d+ +in 2 rows/);
  expect(text.stdout).toMatch(/duplicates +1 /);
  expect(text.stdout).toMatch(/to submit +2 +1 molecule, 1 sequence/);
  expect(everything(at)).toEqual(before);

  at.write('my night.csv', `${lines.slice(0, 4).join('\n')}\n`);
  const options = ['--out', 'my results', '--services', 'local'];
  const good = await at.runs(0, ['plan', 'my night.csv', ...options]);
  expect(good.stdout).toContain(
    "To begin: hundredfold run 'my night.csv' --out 'my results' --services local\n",
  );
  expect(good.stdout).not.toContain('Before that');
});

test('current charges move the expected end; nothing is sent or written', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 5, seconds: 3_600 });
  const typing = { env: TOKEN };
  const plan = async (name: string, ...words: string[]) => {
    const { stdout } = await at.runs(0, ['plan', `${name}.csv`, '--json', ...words], typing);
    return JSON.parse(stdout) as Document;
  };
  const minutes = ({ endsAt }: Document) => (Date.parse(endsAt ?? '') - Date.now()) / 60_000;
  peptides(at, 'night', 3);
  // Not those of the night campaign, which would be cached.
  for (const count of [2, 3]) {
    peptides(at, `${count}`, count);
    const rows = readFileSync(at.path(`${count}.csv`), 'utf8');
    at.write(`${count}.csv`, rows.replaceAll('MKTAYIAK', 'MKTWYIAK'));
  }
  expect(minutes(await plan('3'))).toBeLessThan(5);

  await at.hosts(TOKEN);
  await at.runs(0, ['run', 'night.csv'], typing);
  const before = everything(at);
  const [two, three, night] = [await plan('2'), await plan('3'), await plan('night')];
  expect([two.submissions, three.submissions]).toEqual([2, 3]);
  expect(night).toMatchObject({ ended: 3, submissions: 0, endsAt: null });
  expect(minutes(two)).toBeLessThan(5);
  expect(minutes(three)).toBeGreaterThan(50);
  expect(three['services']).toMatchObject([{ service: 'predictions', jobs: 3, free: 2 }]);
  const again = await plan('night', '--name', 'other');
  expect(again).toMatchObject({ cached: 3, submissions: 0, ended: 0 });
  expect(everything(at)).toEqual(before);
  expect(await service.end()).toHaveLength(3);
});
