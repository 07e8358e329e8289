/** Counts vitest's tests, so that no crash can look like a success. */
import { existsSync, readFileSync } from 'node:fs';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The part of vitest's JSON report that we read. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** A test file that failed, and what the tally counts for it. */
export interface RedFile {
  readonly file: string;
  readonly failed: number;
}

interface Outcome {
  readonly tally: Tally;
  /** Why something besides a test counts as failed; empty if nothing does. */
  readonly problem: string;
  /** The test files that failed. */
  readonly red?: readonly RedFile[];
}

/** `code` is vitest's exit code, null if a signal ended it; the report is missing after a crash. */
export function vitestTally(file: string, code: number | null): Outcome {
  const crash = (passed: number, problem: string) => ({ tally: { passed, failed: 1 }, problem });
  if (!existsSync(file)) return crash(0, `vitest wrote no report and ended with ${String(code)}`);
  const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const red = testResults.filter(({ status }) => status === 'failed').map(countFailed);
  if (red.length > 0) {
    const broken = red.filter(({ isBroken }) => isBroken).map((one) => `did not run: ${one.file}`);
    const failed = red.reduce((sum, one) => sum + one.failed, 0);
    return { tally: { passed, failed }, problem: broken.join('\n'), red };
  }
  if (passed === 0) return crash(0, 'vitest ran no test');
  if (code === 0) return { tally: { passed, failed: 0 }, problem: '' };
  const what = 'an error outside of the tests';
  return crash(passed, `no test failed, but vitest ended with ${String(code)}: ${what}`);
}

/** A file that did not load counts as one: its tests are missing, and vitest counts none of them as failed. */
function countFailed({ name: file, assertionResults }: Report['testResults'][number]) {
  const failed = assertionResults.filter(({ status }) => status === 'failed').length;
  return { file, failed: Math.max(1, failed), isBroken: failed === 0 };
}
