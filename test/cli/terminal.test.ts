/**
 * On a terminal: that the view is shown, obeys its keys, and leaves the terminal in order. What it shows at which size:
 * live/screen.test.ts.
 */
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

/** An escape sequence that sets colours. */
// eslint-disable-next-line no-control-regex -- control codes are what this is about
const COLOUR = /\x1b\[[\d;]*m/;
const OWN_SCREEN = '\x1b[?1049h';
const FORMER_SCREEN = '\x1b[?1049l';

const onTerminal = { terminal: true, env: TOKEN };

/** A window longer than any test: the output depends on the limit alone, however slow the machine. */
const HOUR = 3_600;

/** Ctrl-C as the terminal driver handles it: a signal to the whole foreground process group. */
const CTRL_C = '\x03';

/** The lines that remain when the view is gone: on the former screen, with the cursor visible below them. */
function remains({ stdout }: Typed): string[] {
  expect(stdout.split(FORMER_SCREEN)).toHaveLength(stdout.split(OWN_SCREEN).length);
  const shown = stdout.lastIndexOf('\x1b[?25h');
  expect(shown, 'the cursor is visible').toBeGreaterThanOrEqual(stdout.lastIndexOf('\x1b[?25l'));
  const after = stdout.slice(stdout.lastIndexOf(FORMER_SCREEN) + FORMER_SCREEN.length);
  const text = stripVTControlCharacters(after);
  expect(text.endsWith('\n'), text).toBe(true);
  return text.trimEnd().split(/\r?\n/);
}

test('the view shows budget, next slot, expected end and the Temporal UI, and p, r and q pause, resume and detach', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(3);
  peptides(at, 'night', 9);
  const out = at.path('results', 'night');
  // A job whose acceptance is not shown yet when the command is left.
  await service.faults([{ name: 'slow', service: 'predictions', endpoint: 'submit', ms: 3_000 }]);
  const plain = { terminal: true, env: { ...TOKEN, NO_COLOR: '1' } };
  const typed = at.type(['run', 'night.csv', '--yes'], plain);
  await typed.says('p pause');
  const link = /http:\/\/127\.0\.0\.1:\d+\/\S*Campaign%3D%22night%22/.exec(typed.stdout)?.[0];
  expect((await fetch(link ?? 'no link was shown')).status, 'the Temporal UI').toBe(200);
  await typed.says('next slot ');
  await typed.says('end expected soon after ');
  await typed.says('q detach (the campaign continues)');
  // One key at a time, as a user types; special keys and keys without a meaning do nothing.
  const press = async (key: string, words: string) => {
    typed.press(key);
    await delay(100);
    await typed.says(words);
  };
  for (const key of ['\u001b[A', 'x', 'r', '\u001a']) await press(key, '');
  await press('p', 'r resume');
  await press('R', 'Resuming.');
  await press('q', '');
  await typed.endsWith(0);
  const left = remains(typed).join('\n');
  expect(left).toContain('Moving to the background: finishing submissions in progress.');
  expect(left).toContain(`night runs in the background; its output is in ${out}.`);
  expect(left).toContain('hundredfold watch night    shows progress');
  expect(typed.stdout, 'colours').not.toMatch(COLOUR);

  // Larger again, with room for all.
  service.budget(20);
  await service.faults([]);
  await at.runs(0, ['run', 'night.csv', '--detach'], { env: TOKEN });
  const watching = at.type(['watch', 'night'], plain);
  await watching.endsWith(0);
  expect(watching.stdout).toContain('9 of 9 succeeded');
  await at.runs(0, ['stop'], { env: TOKEN });
  expect(at.servers(), 'processes left behind').toEqual([]);
  expect((await service.end()).filter(({ accepted }) => accepted)).toHaveLength(9);
});

test('Ctrl-C shuts down gracefully, a second one exits at once; a dumb terminal gets plain lines', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(3);
  peptides(at, 'night', 5);
  const run = ['run', 'night.csv', '--yes'];

  const interrupted = at.type(run, onTerminal);
  await interrupted.says('3 of 5');
  interrupted.press(CTRL_C);
  await interrupted.endsWith(130);
  expect(remains(interrupted).slice(-5)).toEqual([
    expect.stringMatching(/^night {2}█*░* \d+ % {2}\d of \d/),
    '3 succeeded  2 waiting',
    expect.stringMatching(/^predictions .* 3 of 3 used in 1 h, 0 free$/),
    'Stopping: finishing submissions in progress. Press Ctrl-C again to stop at once.',
    'night is safe on disk. To resume: hundredfold run night.csv',
  ]);
  expect(interrupted.stdout, 'colours').toMatch(COLOUR);
  expect(at.servers(), 'processes left behind').toEqual([]);

  // A job that the service accepts without ever answering: the command waits half a minute for the answer.
  await service.faults([{ name: 'hang-after', service: 'predictions', times: 1 }]);
  service.budget(5);
  const impatient = at.type(run, onTerminal);
  await impatient.says('4 of 5');
  impatient.press(CTRL_C);
  await impatient.says('Press Ctrl-C again to stop at once.');
  await delay(1_000);
  expect(impatient.running, 'it waits for the answer').toBe(true);
  impatient.press(CTRL_C);
  await impatient.endsWith(130);
  expect(remains(impatient).at(-1)).toMatch(/Stopped at once\. A submission that was/);
  expect(at.servers(), 'processes left behind').toEqual([]);

  const dumb = { ...TOKEN, TERM: 'dumb', NO_COLOR: '1' };
  const { stdout } = await at.runs(0, run, { terminal: true, env: dumb });
  expect(stdout).not.toContain('\x1b');
  expect(stdout).toMatch(/^night: 5 of 5 succeeded/m);
  expect((await service.end()).filter(({ accepted }) => accepted)).toHaveLength(5);
});

test('a campaign of more than an hour asks, and starts nothing after "no", Ctrl-C or Ctrl-D', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(2);
  await at.hosts(TOKEN);
  peptides(at, 'night', 3);
  const question = 'This takes more than an hour. Start? [Y/n]';
  const run = ['run', 'night.csv'];
  for (const keys of ['n\r', CTRL_C, '\x04']) {
    const asked = at.type(run, onTerminal);
    await asked.says(question);
    asked.press(keys);
    await asked.endsWith(130);
    expect(asked.stdout).toContain('Nothing was submitted.');
    expect(existsSync(at.path('results', 'night', '.hundredfold'))).toBe(false);
  }
  const yes = at.type(run, onTerminal);
  await yes.says(question);
  yes.press('\r');
  await yes.says('2 succeeded');
  // Without a terminal there is no question; nor for a short rest.
  const plain = at.type(run, { env: TOKEN });
  await plain.says('joins it');
  expect(plain.stderr).not.toContain(question);
  for (const typed of [yes, plain]) typed.kill('SIGKILL');
  expect(await service.end()).toHaveLength(2);
});
