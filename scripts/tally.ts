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

/** Files that did not load: their tests are missing, and vitest counts none of them as failed. */
function brokenFiles(report: Report): readonly string[] {
  return report.testResults
    .filter((file) => file.status === 'failed')
    .filter((file) => !file.assertionResults.some((test) => test.status === 'failed'))
    .map((file) => file.name);
}

function redFile({ name: file, assertionResults }: Report['testResults'][number]): RedFile {
  const failed = assertionResults.filter(({ status }) => status === 'failed').length;
  return { file, failed: Math.max(1, failed) };
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
    const red = report.testResults.filter(({ status }) => status === 'failed');
    return { tally, problem, red: red.map(redFile) };
  }
  if (report.numPassedTests === 0) {
    return { tally: { passed: 0, failed: 1 }, problem: 'vitest ran no test' };
  }
  if (code !== 0) {
    return {
      tally: { ...tally, failed: 1 },
      problem: `no test failed, but vitest ended with ${String(code)}: an error outside of the tests`,
    };
  }
  return { tally, problem: '' };
}
