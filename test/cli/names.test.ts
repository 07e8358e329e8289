/**
 * Names of campaigns become folders, workflow ids and search attributes: invalid ones are refused before anything is
 * written.
 */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkedName } from '../../src/manifest/checked-name.ts';
import { desk } from './command.ts';

const BAD = [
  '../../x',
  '..',
  '.hidden',
  '',
  'a:b',
  'a/b',
  'a\\b',
  '\u001b[2J',
  'a b',
  'é',
  'x'.repeat(65),
  'a"b',
];

test.each(['night', 'a', 'A-1.b_2', 'x'.repeat(64)])('%j is a name', (name) => {
  expect(checkedName(name)).toBe(name);
});

test.each(BAD)('%j is not a name', (name) => {
  expect(() => checkedName(name)).toThrow(
    expect.objectContaining({ code: 'NAME_INVALID', exitCode: 2 }) as Error,
  );
});

test('every command that takes a name refuses an invalid one with exit code 2, and writes nothing', async () => {
  const at = desk();
  at.write('m.csv', 'id,smiles\na,CCO\n');
  const commands = [
    ['run', 'm.csv', '--services', 'local', '-y', '--name'],
    ['plan', 'm.csv', '--services', 'local', '--name'],
    ...['status', 'items', 'watch', 'pause', 'resume', 'cancel', 'retry', 'report'].map((c) => [c]),
  ];
  for (const [n, words] of commands.entries()) {
    const { stderr } = await at.runs(2, [...words, BAD[n % 4] ?? '']);
    expect(stderr).toContain('[NAME_INVALID]');
  }
  const { stderr } = await at.runs(2, [
    'run',
    'm.csv',
    '--services',
    'local',
    '-y',
    '--name',
    '\u001b]0;x\u0007',
  ]);
  expect(stderr).not.toContain('\u001b');
  expect(readdirSync(at.folder)).toEqual(['m.csv']);
  expect(existsSync(at.path('..', 'x'))).toBe(false);
});
