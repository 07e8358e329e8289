/**
 * `npm test`: the checks, and the tests that take about four minutes on two cores. `--all` adds the tests of whole commands,
 * browsers, packages and clusters (`.ci/run`), `--long` also those that take minutes each, `--chaos=N` N minutes of random
 * faults at the end. `--repeat` lets a failed test file pass that passes alone, and names it (`.ci/run`). Each check counts as one, like each test of vitest; the last line is `N passed, N failed`. With other
 * arguments only vitest runs, and they are its own: `npm test -- test/budget`.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directionProblems, importsBelow } from './imports.ts';
import { run } from './run.ts';
import { vitestTally, type RedFile, type Tally } from './tally.ts';
import { setUpVersitygw } from './versitygw.ts';

const ROOT = join(import.meta.dirname, '..');

interface Check {
  readonly name: string;
  /** The errors, as text to show; empty if there are none. */
  readonly find: () => Promise<string>;
}

function command(program: string, ...args: readonly string[]): () => Promise<string> {
  return async () => {
    const { code, output } = await run(program, args, 'captured');
    return code === 0 ? '' : `${output.trim()}\n${program} ended with ${String(code)}`;
  };
}

const CHECKS: readonly Check[] = [
  { name: 'type check', find: command('tsc', '--noEmit', '--pretty', 'false') },
  {
    name: 'type check of the report’s page',
    find: command('tsc', '--noEmit', '-p', 'packages/report-page', '--pretty', 'false'),
  },
  { name: 'lint', find: command('eslint', '.', '--max-warnings', '0') },
  { name: 'format', find: command('prettier', '--check', '--log-level', 'warn', '.') },
  {
    name: 'import directions',
    find: async () =>
      directionProblems(['src', 'packages'].flatMap((folder) => importsBelow(ROOT, folder))).join(
        '\n',
      ),
  },
];

function report(name: string, ok: boolean, startedAt: number, detail = ''): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${ok ? 'ok' : 'FAILED'}  ${name} (${seconds} s)\n`);
  if (detail !== '') process.stdout.write(`${detail.replace(/^/gm, '    ')}\n`);
}

async function passes(check: Check): Promise<boolean> {
  const startedAt = performance.now();
  const wrong = await check.find();
  report(check.name, wrong === '', startedAt, wrong);
  return wrong === '';
}

/** In parallel: the linter takes longer than all the others together, and there are two cores. */
async function runChecks(): Promise<Tally> {
  const results = await Promise.all(CHECKS.map(passes));
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}

async function runVitest(args: readonly string[]): Promise<Tally> {
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-test-'));
  const file = join(folder, 'results.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await run('vitest', ['run', ...reporters, ...args], 'shown');
    const { tally, problem, red } = vitestTally(file, code);
    report('tests', tally.failed === 0, startedAt, problem);
    if (!red || red.length > MAX_RED || args.length > 0) return tally;
    const flaky = await passAlone(red);
    return isRepeatEnough ? without(tally, flaky) : tally;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With this many failing files the cause is not a busy machine. */
const MAX_RED = 5;

/**
 * Runs files with failed tests once more, one at a time, and names those that pass then: their tests wait too little for a
 * busy machine.
 */
async function passAlone(red: readonly RedFile[]): Promise<RedFile[]> {
  process.stdout.write(`run once more, alone: ${red.map(({ file }) => file).join(', ')}\n`);
  const flaky: RedFile[] = [];
  for (const one of red) {
    const { failed } = await runVitest([one.file]);
    if (failed > 0) continue;
    process.stdout.write(`FLAKY  ${one.file}: passed alone\n`);
    flaky.push(one);
  }
  return flaky;
}

/** The tally with the failed tests of these files as passed. */
function without({ passed, failed }: Tally, flaky: readonly RedFile[]): Tally {
  const more = flaky.reduce((sum, one) => sum + one.failed, 0);
  return { passed: passed + more, failed: failed - more };
}

/** Random faults over the real command, with a new seed each time; it prints the seed and the events. */
async function runChaos(minutes: string): Promise<Tally> {
  const startedAt = performance.now();
  const script = join(ROOT, 'test', 'chaos', 'main.ts');
  const { code } = await run(process.execPath, [script, '--minutes', minutes], 'shown');
  report('chaos', code === 0, startedAt);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * Without it the tests of the object store are skipped: reported here, because the list of skipped tests is rarely
 * read.
 */
async function prepareObjectStore(): Promise<void> {
  const missing = await setUpVersitygw();
  if (missing === null) return;
  process.stdout.write(`skipped: tests on a real S3 server, for want of versitygw (${missing})\n`);
}

/** For each property of the budget in the quick tests; the files in test/budget have the number for all. */
const HISTORIES = '1000';
const ALL = '--all';
const LONG = '--long';
const REPEAT = '--repeat';
const CHAOS = '--chaos=';
const typed = process.argv.slice(2);
const minutes = typed.find((arg) => arg.startsWith(CHAOS))?.slice(CHAOS.length);
const isRepeatEnough = typed.includes(REPEAT);
const args = typed.filter((arg) => ![ALL, LONG, REPEAT].includes(arg) && !arg.startsWith(CHAOS));
// A test that is named runs, however long it takes.
if (args.length > 0 || typed.includes(LONG)) process.env['LONG_TESTS'] = 'yes';
else if (!typed.includes(ALL)) {
  process.env['QUICK_TESTS'] = 'yes';
  process.env['HISTORIES'] ??= HISTORIES;
}
const tallies: Tally[] = [];
const isWhole = args.length === 0;
if (isWhole && minutes === undefined) tallies.push(await runChecks());
if (process.env['QUICK_TESTS'] === undefined) await prepareObjectStore();
tallies.push(await runVitest(args));
// Chaos mostly waits: the checks run beside it.
if (minutes !== undefined)
  tallies.push(...(await Promise.all([runChaos(minutes), ...(isWhole ? [runChecks()] : [])])));
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
