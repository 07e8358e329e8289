/**
 * On a terminal: that the view is shown, obeys its keys, and leaves the terminal in order. What it shows at which size:
 * live/screen.test.ts.
 */
import { stripVTControlCharacters } from 'node:util';
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

/** One key at a time, as a user types. */
async function press(typed: Typed, key: string): Promise<void> {
  typed.press(key);
  await new Promise((resolve) => setTimeout(resolve, 100));
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
  await typed.says('next slots ');
  await typed.says('end expected about ');
  await typed.says('q detach (the campaign continues)');
  // Special keys and keys without a meaning.
  for (const key of ['\u001b[A', 'x', 'r', '\u001a']) await press(typed, key);
  await press(typed, 'p');
  await typed.says('paused');
  await typed.says('r resume');
  await press(typed, 'R');
  await typed.says('night        running');
  await press(typed, 'q');
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
    expect.stringMatching(/^predictions .* 3 of 3 in 1 h, 0 free$/),
    'Stopping: finishing submissions in progress. Press Ctrl-C again to stop at once.',
    'night is safe on disk: run the same command to resume.',
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
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(impatient.running, 'it waits for the answer').toBe(true);
  impatient.press(CTRL_C);
  await impatient.endsWith(130);
  expect(remains(impatient).at(-1)).toMatch(/Stopped at once\. A submission that was/);
  expect(at.servers(), 'processes left behind').toEqual([]);

  const dumb = { TERM: 'dumb', NO_COLOR: '1' };
  const typed = at.type(run, { terminal: true, env: { ...TOKEN, ...dumb } });
  await typed.endsWith(0);
  // eslint-disable-next-line no-control-regex -- control codes are what this is about
  expect(typed.stdout.replaceAll('\r\n', '\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(typed.stdout).toMatch(/^night: \d of 5: .* \[predictions: 5 of 5 used in 1 h.*\]\r$/m);
  expect(typed.stdout).toMatch(/^night: 5 of 5 succeeded/m);
  expect((await service.end()).filter(({ accepted }) => accepted)).toHaveLength(5);
});
