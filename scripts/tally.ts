/** Counts vitest's tests, so that no crash can look like a success. */
import { existsSync, readFileSync } from 'node:fs';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The part of vitest's JSON report that we read. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export interface Outcome {
  readonly tally: Tally;
  /** Why something besides a test counts as failed; empty if nothing does. */
  readonly problem: string;
  /**
   * Test files that had begun when their process crashed, if nothing else is wrong: Node itself can crash (V8's "Check
   * failed: jit_page.has_value()", Node 24.21, seen once in some twenty runs). They are run once more.
   */
  readonly crashed?: readonly string[];
  /**
   * Test files with a failed test, if nothing else is wrong. They are run once more, with the machine to themselves.
   */
  readonly red?: Tally & { readonly files: readonly string[] };
}

/** Files that did not load: their tests are missing, and vitest counts none of them as failed. */
function brokenFiles(report: Report): readonly string[] {
  return report.testResults
    .filter((file) => file.status === 'failed')
    .filter((file) => !file.assertionResults.some((test) => test.status === 'failed'))
    .map((file) => file.name);
}

/**
 * Their process ended in the middle: some of their tests have no end. Vitest calls that `pending`; skipped ones are
 * `skipped`.
 */
function crashedFiles(report: Report): readonly string[] {
  return report.testResults
    .filter((file) => file.assertionResults.some((test) => test.status === 'pending'))
    .map((file) => file.name);
}

/** The files of failed tests, and their counts: their passed tests count again when they are run again. */
function redFiles({ testResults }: Report): NonNullable<Outcome['red']> {
  const red = testResults.filter(({ status }) => status === 'failed');
  const count = (status: string): number =>
    red.flatMap(({ assertionResults }) => assertionResults).filter((one) => one.status === status)
      .length;
  const files = red.map(({ name }) => name);
  return { files, passed: count('passed'), failed: count('failed') };
}

/** `code` is vitest's exit code, null if a signal ended it; the report is missing after a crash. */
export function vitestTally(file: string, code: number | null): Outcome {
  if (!existsSync(file)) {
    return {
      tally: { passed: 0, failed: 1 },
      problem: `vitest wrote no report and ended with ${String(code)}`,
    };
  }
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const broken = brokenFiles(report);
  const failed = report.numFailedTests + broken.length;
  const tally = { passed: report.numPassedTests, failed };
  if (failed > 0) {
    const problem = broken.map((name) => `did not run: ${name}`).join('\n');
    return broken.length > 0 ? { tally, problem } : { tally, problem, red: redFiles(report) };
  }
  if (report.numPassedTests === 0) {
    return { tally: { passed: 0, failed: 1 }, problem: 'vitest ran no test' };
  }
  if (code !== 0) {
    const crashed = crashedFiles(report);
    return {
      ...(crashed.length > 0 && { crashed }),
      tally: { ...tally, failed: 1 },
      problem: `no test failed, but vitest ended with ${String(code)}: an error outside of the tests`,
    };
  }
  return { tally, problem: '' };
}
