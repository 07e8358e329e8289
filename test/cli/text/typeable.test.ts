/** Hints can be typed as they are. */
import { expect, test } from 'vitest';
import { program } from '../../../src/cli/command-line/program.ts';
import { HINTED, typeable } from '../../../src/cli/text/typeable.ts';

const NPX = { npm_command: 'exec' };
const HERE = '/project/node_modules/.bin/hundredfold';

test.each([
  ['run these items again: hundredfold retry night', NPX, HERE, 'npx hundredfold retry night'],
  ['type "hundredfold run" again', NPX, HERE, '"npx hundredfold run"'],
  ['`hundredfold list` shows them', NPX, HERE, '`npx hundredfold list`'],
  ['hundredfold: no such file', NPX, HERE, /^hundredfold: no/],
  ['hundredfold needs Node 22', NPX, HERE, /^hundredfold needs/],
  ['hundredfold retry night', {}, '/usr/bin/hundredfold', /^hundredfold retry/],
  ['hundredfold retry night', NPX, '/cache/_npx/1a/hundredfold', /^hundredfold retry/],
])('%s', (text, environment, script, expected) => {
  const typed = typeable(text, environment, script);
  if (typeof expected === 'string') expect(typed).toContain(expected);
  else expect(typed).toMatch(expected);
});

test('every command in a hint exists', () => {
  const names = program.commands.map((command) => command.name());
  expect(names).toEqual(expect.arrayContaining([...HINTED]));
});
