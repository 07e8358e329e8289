/** Hints can be typed as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { program } from '../../../src/cli/command-line/program.ts';
import { HINTED, typeable } from '../../../src/cli/text/typeable.ts';

const NPX = { npm_command: 'exec' };
const HERE = '/project/node_modules/.bin/hundredfold';

test.each([
  ['run these items again: hundredfold retry night', NPX, HERE, 'npx hundredfold retry night'],
  ['type "hundredfold run" again', NPX, HERE, '"npx hundredfold run"'],
  ['npx --prefix /a hundredfold run night.csv', NPX, HERE, /^npx --prefix \/a hundredfold run/],
  ['hundredfold: no such file', NPX, HERE, /^hundredfold: no/],
  ['hundredfold retry night', {}, '/usr/bin/hundredfold', /^hundredfold retry/],
  ['hundredfold retry night', NPX, '/cache/_npx/1a/hundredfold', /^hundredfold retry/],
])('%s', (text, environment, script, expected) => {
  const typed = typeable(text, environment, script);
  if (typeof expected === 'string') expect(typed).toContain(expected);
  else expect(typed).toMatch(expected);
});

test('every command in the remedy of an error can be typed', () => {
  const folder = new URL('../../../src/domain/error-codes/', import.meta.url);
  const code = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const named = [...code.join('\n').matchAll(/hundredfold ([a-z-]+)/g)].map(([, name]) => name);
  const commands = new Set(program.commands.map((command) => command.name()));
  const hinted = new Set(named.filter((name = '') => commands.has(name)));
  expect([...HINTED]).toEqual(expect.arrayContaining([...hinted]));
  expect([...commands]).toEqual(expect.arrayContaining([...HINTED]));
});
