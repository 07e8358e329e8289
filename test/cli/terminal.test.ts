/** On a terminal: what a person sees while a campaign runs, and that Ctrl-C leaves the terminal in order. */
import { expect, test } from 'vitest';
import { atMostOneJob, neverRefusedForRate, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';
import { framesOf, screenOf } from './screen.ts';

/** An escape sequence that sets colours. */
// eslint-disable-next-line no-control-regex -- control codes are what this is about
const COLOUR = /\x1b\[[\d;]*m/;

const onTerminal = { terminal: true, env: TOKEN };

/** A window that no test sees the end of: what is shown follows from the limit alone, however slow the machine. */
const HOUR = 3_600;

/** Ctrl-C, as the terminal driver takes it: a signal to all that run there. */
const CTRL_C = '\x03';

test('the live view shows states, budget, next slot, expected end and the way to the UI', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(4);
  const ids = peptides(at, 'night', 8);
  const typed = at.type(['run', 'night.csv', '--yes'], onTerminal);
  await typed.says('next slot in 59 min');
  const link = /http:\/\/127\.0\.0\.1:\d+\/\S*Campaign%3D%22night%22/.exec(typed.stdout)?.[0];
  expect((await fetch(link ?? 'no link was shown')).status, 'the Temporal UI').toBe(200);
  // Raised by a command that joins: the view goes on with it.
  service.budget(8);
  await at.runs(0, ['run', 'night.csv'], { env: TOKEN });
  await typed.endsWith(0);
  neverRefusedForRate(await service.end());

  const views = framesOf(typed.stdout)
    .map(({ lines }) => lines.slice(lines.findIndex((line) => line.startsWith('night  '))))
    .slice(0, -1);
  expect(views.length).toBeGreaterThan(3);
  for (const [head = '', counts = '', budget] of views) {
    expect(head).toMatch(/^night {2}█*░* \d+ %( \((publishing|completed)\))?$/);
    expect(head.replaceAll(/[^█░]/g, '')).toHaveLength(30);
    sumsUpTo(ids.length, counts);
    expect(budget).toMatch(
      /^ {2}predictions: \d of [48] used in 1 h(, next slot in (1 h|59 min.*))?$/,
    );
  }
  const shown = views.map((lines) => lines.join('\n')).join('\n\n');
  expect(shown).toMatch(/\n {2}4 of 8: 4 succeeded; 4 waiting\n/);
  expect(shown).toMatch(/\n {2}predictions: 4 of 4 used in 1 h, next slot in 59 min \d+ s\n/);
  expect(shown).toMatch(/\n {2}end expected soon after .*\d\d:\d\d:\d\d \(in 59 min \d+ s\)\n/);
  expect(shown).toContain(`\n  results: ${at.path('results', 'night')}`);

  const last = screenOf(typed.stdout);
  const said = last.lines.findIndex((line) => line.startsWith('night  '));
  // A long line goes on in the next row.
  const before = last.lines.slice(0, said).join('');
  expect(before).toMatch(/^night: 8 rows \(8 sequences\) {2}to submit +8 /);
  expect(before.endsWith(`Every item in the Temporal UI: ${link ?? ''}`)).toBe(true);
  expect(last.lines.slice(said)).toEqual([
    `night  ${'█'.repeat(30)} 100 % (completed)`,
    '  8 of 8: 8 succeeded',
    expect.stringMatching(/^ {2}predictions: 8 of 8 used in 1 h/),
    expect.stringMatching(/^night: 8 of 8 succeeded in \d+ s\.$/),
    `  results: ${at.path('results', 'night')}`,
  ]);
  inOrder(typed);
  expect(typed.stdout, 'colours, of which there are none').not.toMatch(COLOUR);
  await noItemLost(at.path('results', 'night'), ids);
}, 120_000);

/** `4 of 10: 3 succeeded, 1 failed; 2 running, 4 waiting`: ended are as many as it says, and none is missing. */
function sumsUpTo(total: number, counts: string): void {
  expect(counts).toMatch(/^ {2}\d+ of \d+(: \d+ [a-z]+([,;] \d+ [a-z]+)*)?$/);
  const numbers = [...counts.matchAll(/(\d+) (?=([a-z]+))/g)].map(([, n, word]) => [
    word,
    Number(n),
  ]);
  const { of: done, ...parts } = Object.fromEntries(numbers) as Record<string, number>;
  const { running = 0, waiting = 0, ...ended } = parts;
  expect(counts).toContain(`of ${total}`);
  const sum = Object.values(ended).reduce((all, n) => all + n, 0);
  expect([sum, sum + running + waiting], counts).toEqual([done, total]);
}

/** The cursor is back, at the beginning of an empty line below all that was said. */
function inOrder({ stdout }: Typed): void {
  const { lines, cursor } = screenOf(stdout);
  expect(cursor).toEqual({ row: lines.length, column: 0, visible: true });
}

test('Ctrl-C stops in order, a second one leaves at once; a dumb terminal gets plain lines', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(3);
  const ids = peptides(at, 'night', 5);
  const run = ['run', 'night.csv', '--yes'];

  const interrupted = at.type(run, onTerminal);
  await interrupted.says('3 succeeded');
  interrupted.press(CTRL_C);
  await interrupted.endsWith(130);
  expect(screenOf(interrupted.stdout).lines.slice(-3)).toEqual([
    `  results: ${at.path('results', 'night')}`,
    'Stopping: what is being sent is waited for. Ctrl-C again leaves at once.',
    'night is safe on disk: the same command goes on with it.',
  ]);
  inOrder(interrupted);
  expect(at.servers(), 'processes left behind').toEqual([]);

  // A job that the service takes on without ever saying so: the command waits for that answer, half a minute long.
  await service.faults([{ name: 'hang-after', service: 'predictions', times: 1 }]);
  service.budget(5);
  const impatient = at.type(run, onTerminal);
  await impatient.says('4 succeeded');
  impatient.press(CTRL_C);
  await impatient.says('Ctrl-C again leaves at once.');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(impatient.running, 'it waits for the answer').toBe(true);
  impatient.press(CTRL_C);
  await impatient.endsWith(130);
  expect(screenOf(impatient.stdout).lines.at(-1)).toMatch(/Left at once\. A submission that was/);
  inOrder(impatient);
  expect(at.servers(), 'processes left behind').toEqual([]);

  const dumb = { TERM: 'dumb', NO_COLOR: '1' };
  const typed = at.type(run, { terminal: true, env: { ...TOKEN, ...dumb } });
  await typed.endsWith(0);
  // eslint-disable-next-line no-control-regex -- control codes are what this is about
  expect(typed.stdout.replaceAll('\r\n', '\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(typed.stdout).toMatch(/^night: \d of 5: .* \[predictions: 5 of 5 used in 1 h.*\]\r$/m);
  expect(typed.stdout).toMatch(/^night: 5 of 5 succeeded/m);

  const journal = await service.end();
  await noItemLost(at.path('results', 'night'), ids);
  await treeIsWhole(at.path('results', 'night'));
  atMostOneJob(journal, ids.length);
  expect(journal.filter(({ accepted }) => accepted)).toHaveLength(ids.length);
  neverRefusedForRate(journal);
}, 120_000);
