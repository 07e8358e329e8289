/**
 * `node test/mutants/main.ts [--only NAME …] [--all-tests]`: breaks the program in one line, runs the test files that
 * must notice it, and says whether a test failed. Each break is applied to a copy of the checkout in a temporary folder.
 * `--all-tests` runs the whole suite for each instead of the named files, which takes hours.
 *
 * A break counts as killed only if tests were found and one of them failed: not if the break has an error of syntax, or
 * if the set-up of the tests fails. Without any break the named files must pass, which is looked at first.
 *
 * Node 22.18 or newer runs it; the tests run with the Node of the set-up.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsIn, type Mutant } from './list.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Made anew, or not part of the program. */
const NOT_COPIED = new Set(['.git', 'node_modules', '.tools', 'coverage']);
/** Not copied, because they are large and never changed. */
const LINKED = ['node_modules', '.tools'];

interface Report {
  readonly numTotalTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

interface Verdict {
  readonly killed: boolean;
  /** The first test that failed, or why none did. */
  readonly words: string;
}

function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'hundredfold-mutant-'));
  cpSync(ROOT, copy, {
    recursive: true,
    filter: (path) => !NOT_COPIED.has(path.slice(ROOT.length + 1)),
  });
  for (const name of LINKED)
    if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(copy, name));
  return copy;
}

function play(copy: string, files: readonly string[]): Report | string {
  const output = join(copy, 'mutant-report.json');
  rmSync(output, { force: true });
  const words = ['--reporter=json', `--outputFile=${output}`, '--bail=1', '--retry=0'];
  const { stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...words, ...files],
    // A file that is named runs, in whatever tier it is.
    { cwd: copy, env: { ...process.env, LONG_TESTS: 'yes' }, encoding: 'utf8' },
  );
  if (existsSync(output)) return JSON.parse(readFileSync(output, 'utf8')) as Report;
  return `the tests could not be run: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

function verdictOf(report: Report | string): Verdict {
  if (typeof report === 'string') return { killed: false, words: report };
  const { numTotalTests, numFailedTests, testResults } = report;
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  if (numFailedTests > 0 && failed) return { killed: true, words: failed.fullName };
  if (numTotalTests === 0) return { killed: false, words: 'no test was found' };
  const broken = testResults.find(({ status }) => status === 'failed');
  if (!broken) return { killed: false, words: `${numTotalTests} tests passed` };
  return { killed: false, words: `no test failed, but ${broken.message.split('\n')[0] ?? ''}` };
}

function tryOne(copy: string, { file, find, replace, tests }: Mutant, all: boolean): Verdict {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2)
    return { killed: false, words: `${file} does not have the text exactly once` };
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    return verdictOf(play(copy, all ? [] : tests));
  } finally {
    writeFileSync(path, text);
  }
}

function passesUnbroken(copy: string, mutants: readonly Mutant[]): boolean {
  const { killed, words } = verdictOf(
    play(copy, [...new Set(mutants.flatMap(({ tests }) => tests))]),
  );
  console.log(killed ? `FAILS without a break: ${words}` : `without a break: ${words}`);
  return !killed;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    'all-tests': { type: 'boolean', default: false },
    /** The named files have passed just now. */
    unchecked: { type: 'boolean', default: false },
  },
});
const mutants = mutantsIn(values.only);
const copy = copyOfCheckout();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const isSound = values.unchecked || passesUnbroken(copy, mutants);
let alive = 0;
for (const mutant of mutants) {
  const startedAt = performance.now();
  const { killed, words } = tryOne(copy, mutant, values['all-tests']);
  if (!killed) alive += 1;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${killed ? 'killed' : 'ALIVE '} ${mutant.name} (${seconds} s): ${words}`);
  if (!killed) console.log(`       breaks: ${mutant.breaks}`);
}
console.log(`${mutants.length - alive} killed, ${alive} alive`);
if (alive > 0 || !isSound) process.exitCode = 1;
