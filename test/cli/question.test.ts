/** A campaign of more than an hour asks for confirmation, but only on a terminal. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const onTerminal = { terminal: true, env: TOKEN };
const QUESTION = 'This takes more than an hour. Start? [Y/n]';
const RUN = ['run', 'night.csv'];

test('after "no", Ctrl-C or Ctrl-D nothing is started; --yes, a short campaign and no terminal need no confirmation', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: 3_600 });
  service.budget(2);
  await at.hosts(TOKEN);
  peptides(at, 'night', 4);
  peptides(at, 'short', 2);
  for (const keys of ['n\r', '\x03', '\x04']) {
    const asked = at.type(RUN, onTerminal);
    await asked.says(QUESTION);
    asked.press(keys);
    await asked.endsWith(130);
    expect(asked.stdout).toContain('Nothing was submitted.');
    expect(existsSync(at.path('results', 'night', '.hundredfold'))).toBe(false);
  }
  const short = at.type(['run', 'short.csv', '--no-cache'], onTerminal);
  await short.endsWith(0);
  expect(short.stdout).not.toContain(QUESTION);
  service.budget(3);
  const yes = at.type(RUN, onTerminal);
  await yes.says(QUESTION);
  yes.press('\r');
  await yes.says('1 succeeded');
  service.budget(4);
  const told = at.type([...RUN, '--yes'], onTerminal);
  await told.says('2 succeeded');
  expect(told.stdout).not.toContain(QUESTION);
  const plain = at.type(RUN, { env: TOKEN });
  await plain.says('joins it');
  expect(plain.stderr).not.toContain(QUESTION);
  for (const typed of [yes, told, plain]) typed.kill('SIGKILL');
  expect(await service.end()).toHaveLength(4);
});
