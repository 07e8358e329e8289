import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vitestTally } from '../../scripts/tally.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hundredfold-tally-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function report(passed: number, failed: number, files: readonly object[] = []): string {
  const file = join(folder, `${passed}-${failed}-${files.length}.json`);
  const content = { numPassedTests: passed, numFailedTests: failed, testResults: files };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test('a green run counts its tests', () => {
  expect(vitestTally(report(7, 0), 0).tally).toEqual({ passed: 7, failed: 0 });
});

test('a red run counts passed and failed tests', () => {
  expect(vitestTally(report(5, 2), 1).tally).toEqual({ passed: 5, failed: 2 });
});

test('a test file that failed to load is a failure, although none of its tests failed', () => {
  const broken = { name: 'a.test.ts', status: 'failed', assertionResults: [] };
  const { tally, problem } = vitestTally(report(5, 0, [broken]), 1);
  expect(tally).toEqual({ passed: 5, failed: 1 });
  expect(problem).toBe('did not run: a.test.ts');
});

test.each([0, 1, null])('a run without tests is a failure, also with exit code %s', (code) => {
  expect(vitestTally(report(0, 0), code).tally.failed).toBe(1);
});

test('a crash without a report is a failure', () => {
  expect(vitestTally(join(folder, 'absent.json'), null).tally).toEqual({ passed: 0, failed: 1 });
});

test('an error outside the tests is a failure', () => {
  expect(vitestTally(report(7, 0), 1).tally).toEqual({ passed: 7, failed: 1 });
});

test('the files of failed tests are named, with what they count', () => {
  const statuses = (...all: string[]) => all.map((status) => ({ status }));
  const files = [
    { name: 'a.test.ts', status: 'failed', assertionResults: statuses('passed', 'failed') },
    { name: 'b.test.ts', status: 'passed', assertionResults: statuses('passed', 'skipped') },
    { name: 'c.test.ts', status: 'failed', assertionResults: [] },
  ];
  const { tally, red } = vitestTally(report(2, 1, files), 1);
  expect(tally).toEqual({ passed: 2, failed: 2 });
  expect(red).toEqual([
    { file: 'a.test.ts', failed: 1 },
    { file: 'c.test.ts', failed: 1 },
  ]);
});
