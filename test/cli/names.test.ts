/**
 * Names of campaigns become folders, workflow ids and search attributes: invalid ones are refused before anything is
 * written.
 */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkedName } from '../../src/manifest/checked-name.ts';
import { desk } from './command.ts';

const BAD = ['../../x', '..', '.hidden', '', 'a:b', 'a/b', 'a\\b', '\u001b[2J', 'a b', 'é', 'a"b'];

test.each(['night', 'a', 'A-1.b_2', 'x'.repeat(64)])('%j is a name', (name) => {
  expect(checkedName(name)).toBe(name);
});

test.each([...BAD, 'x'.repeat(65)])('%j is not a name', (name) => {
  const refused = expect.objectContaining({ code: 'NAME_INVALID', exitCode: 2 }) as Error;
  expect(() => checkedName(name)).toThrow(refused);
});

test('every command that takes a name refuses an invalid one with exit code 2, and writes nothing', async () => {
  const at = desk();
  at.write('m.csv', 'id,smiles\na,CCO\n');
  const local = ['m.csv', '--services', 'local', '--name'];
  const commands = [
    ['run', ...local, '\u001b]0;x\u0007'],
    ['plan', ...local, '..'],
    ...['status', 'items', 'watch', 'pause', 'retry', 'report'].map((name) => [name, '../../x']),
  ];
  for (const words of commands) {
    const { stderr } = await at.runs(2, words);
    expect(stderr).toContain('[NAME_INVALID]');
    expect(stderr).not.toContain('\u001b');
  }
  expect(readdirSync(at.folder)).toEqual(['m.csv']);
  expect(existsSync(at.path('..', 'x'))).toBe(false);
});
