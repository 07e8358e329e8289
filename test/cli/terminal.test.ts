/** On a terminal: what a user sees while a campaign runs, and that Ctrl-C leaves the terminal in order. */
import { expect, test } from 'vitest';
import { atMostOneJob, neverRefusedForRate, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';
import { framesOf, screenOf, type Seen } from './screen.ts';

/** An escape sequence that sets colours. */
// eslint-disable-next-line no-control-regex -- control codes are what this is about
const COLOUR = /\x1b\[[\d;]*m/;

const HEAD = /^night {2}█*░* \d+ % {2}\d of \d( {2}(publishing|completed|paused))?$/;

const onTerminal = { terminal: true, env: TOKEN };

/** A window longer than any test: the output depends on the limit alone, however slow the machine. */
const HOUR = 3_600;

/** Ctrl-C as the terminal driver handles it: a signal to the whole foreground process group. */
const CTRL_C = '\x03';

test('the live view shows states, budget, next slot, expected end and the address of the UI', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(4);
  const ids = peptides(at, 'night', 8);
  const typed = at.type(['run', 'night.csv', '--yes'], onTerminal);
  await typed.says('next slots ');
  const link = /http:\/\/127\.0\.0\.1:\d+\/\S*Campaign%3D%22night%22/.exec(typed.stdout)?.[0];
  expect((await fetch(link ?? 'no link was shown')).status, 'the Temporal UI').toBe(200);
  await typed.until(() => framesOf(typed.stdout).some(waits), 'it waited for the budget');
  // Raised by a command that joins: the view shows it.
  service.budget(8);
  await at.runs(0, ['run', 'night.csv'], { env: TOKEN });
  await typed.endsWith(0);
  neverRefusedForRate(await service.end());

  const views = framesOf(typed.stdout).filter(({ own, lines }) => own && lines.length > 0);
  expect(views.length).toBeGreaterThan(3);
  for (const { lines } of views) {
    const [head = '', counts = ''] = lines;
    expect(head).toMatch(HEAD);
    sumsUpTo(ids.length, head, counts);
    expect(lines.join('\n')).toMatch(/^predictions {2}█*░* {2}\d of [48] in 1 h, \d free$/m);
    // A published campaign cannot be paused.
    const pause = head.includes('publishing') ? '' : 'p pause   ';
    expect(lines.at(-1)).toBe(`${pause}q detach (the campaign continues)   Ctrl-C stop`);
  }
  const shown = views.find(waits)?.lines.join('\n');
  expect(shown).toMatch(/^ {13}·*█ \+1 h {2}next slots .*\d\d:\d\d:\d\d/m);
  expect(shown).toMatch(/^end expected about .*\d\d:\d\d:\d\d \(in (59 min|1 h).*\)/m);
  expect(shown).toMatch(/^\d\d:\d\d:\d\d {2}peptide-\d {4}succeeded$/m);
  expect(shown).toContain(`\nresults      ${at.path('results', 'night')}`);

  const last = screenOf(typed.stdout);
  const said = last.lines.findIndex((line) => line.startsWith('night  '));
  // A long line continues in the next row.
  const before = last.lines.slice(0, said).join('');
  expect(before).toMatch(/^night: 8 rows \(8 sequences\) {2}to submit +8 /);
  expect(before.endsWith(`All items in the Temporal UI: ${link ?? ''}`)).toBe(true);
  expect(last.lines.slice(said)).toEqual([
    `night  ${'█'.repeat(40)} 100 %  8 of 8  completed`,
    '8 succeeded',
    expect.stringMatching(/^predictions {2}█{24} {2}8 of 8 in 1 h, 0 free$/),
    expect.stringMatching(/^night: 8 of 8 succeeded in \d+ s\.$/),
    `  results: ${at.path('results', 'night')}`,
    `  report: ${at.path('results', 'night', 'report.html')}`,
  ]);
  inOrder(typed);
  expect(typed.stdout, 'colours').toMatch(COLOUR);
  await noItemLost(at.path('results', 'night'), ids);
}, 180_000);

/** Four have ended, and no slot is free. */
function waits({ lines }: Seen): boolean {
  return (lines[0] ?? '').endsWith('50 %  4 of 8') && lines[1] === '4 succeeded  4 waiting';
}

/**
 * `4 of 10` and `3 succeeded  1 failed  2 running  4 waiting`: the counts of ended items match, and none is missing.
 */
function sumsUpTo(total: number, head: string, counts: string): void {
  expect(counts).toMatch(/^\d+ [a-z]+( {2}\d+ [a-z]+)*$/);
  const parts = Object.fromEntries(
    [...counts.matchAll(/(\d+) ([a-z]+)/g)].map(([, n, word]) => [word, Number(n)]),
  ) as Record<string, number>;
  const { running = 0, waiting = 0, ...ended } = parts;
  const sum = Object.values(ended).reduce((all, n) => all + n, 0);
  expect(head).toContain(`${sum} of ${total}`);
  expect(sum + running + waiting, counts).toBe(total);
}

/** The cursor is at the beginning of an empty line below all output. */
function inOrder({ stdout }: Typed): void {
  const { lines, cursor } = screenOf(stdout);
  expect(cursor).toEqual({ row: lines.length, column: 0, visible: true });
}

test('p, r and q pause, resume and detach; the campaign continues, and nothing is sent twice', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(3);
  const ids = peptides(at, 'night', 9);
  // A job whose acceptance is not shown yet when the command is left.
  await service.faults([{ name: 'slow', service: 'predictions', endpoint: 'submit', ms: 3_000 }]);
  const plain = { terminal: true, env: { ...TOKEN, NO_COLOR: '1' } };
  const typed = at.type(['run', 'night.csv', '--yes'], plain);
  await typed.says('p pause');
  // Special keys and keys without a meaning.
  for (const key of ['\u001b[A', 'x', 'r', '\u001a']) await press(typed, key);
  await press(typed, 'p');
  await typed.says('paused');
  await typed.says('r resume');
  await press(typed, 'R');
  await typed.says('night        running');
  await press(typed, 'q');
  await typed.endsWith(0);
  const { lines } = screenOf(typed.stdout);
  expect(lines.join('\n')).toContain(
    'Moving to the background: finishing submissions in progress.',
  );
  expect(lines.join('\n')).toContain(
    `night runs in the background; its output is in ${at.path('results', 'night')}.`,
  );
  expect(lines.join('\n')).toContain('hundredfold watch night    shows progress');
  inOrder(typed);
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
  const journal = await service.end();
  await noItemLost(at.path('results', 'night'), ids);
  await treeIsWhole(at.path('results', 'night'));
  atMostOneJob(journal, ids.length);
  expect(journal.filter(({ accepted }) => accepted)).toHaveLength(ids.length);
  neverRefusedForRate(journal);
}, 180_000);

/** One key at a time, as a user types. */
async function press(typed: Typed, key: string): Promise<void> {
  typed.press(key);
  await new Promise((resolve) => setTimeout(resolve, 100));
}

test('Ctrl-C shuts down gracefully, a second one exits at once; a dumb terminal gets plain lines', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(3);
  const ids = peptides(at, 'night', 5);
  const run = ['run', 'night.csv', '--yes'];

  const interrupted = at.type(run, onTerminal);
  await interrupted.says('3 of 5');
  interrupted.press(CTRL_C);
  await interrupted.endsWith(130);
  expect(screenOf(interrupted.stdout).lines.slice(-5)).toEqual([
    expect.stringMatching(HEAD),
    '3 succeeded  2 waiting',
    expect.stringMatching(/^predictions .* 3 of 3 in 1 h, 0 free$/),
    'Stopping: finishing submissions in progress. Press Ctrl-C again to stop at once.',
    'night is safe on disk: run the same command to resume.',
  ]);
  inOrder(interrupted);
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
  expect(screenOf(impatient.stdout).lines.at(-1)).toMatch(
    /Stopped at once\. A submission that was/,
  );
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
}, 180_000);
