/** The table of files on the path of one row in docs/architecture.md names files that exist, and counts them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsBelow } from '../../scripts/imports.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** They put a worker together, and the workflows: what they import is called through Temporal or an interface. */
const WIRING = [
  'worker.ts',
  'worker/dependencies.ts',
  'worker/known-services.ts',
  'services/registry.ts',
  'workflows/index.ts',
];
const FIRST = 'cli/main.ts';

interface Step {
  readonly step: string;
  readonly count: number;
  readonly files: readonly string[];
}

const section =
  readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    .split('### Files on the path of one row')[1]
    ?.split('\n## ')[0] ?? '';

const steps: readonly Step[] = [...section.matchAll(/^\| (.+?) +\| (\d+) +\| (.+?) +\|$/gm)].map(
  ([, step = '', count = '', files = '']) => ({
    step,
    count: Number(count),
    files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  }),
);
const files = steps.flatMap((one) => one.files);

/** How many files the steps up to the one of this name have. */
function upTo(name: string): number {
  const last = steps.findIndex(({ step }) => step === name);
  return steps.slice(0, last + 1).flatMap((one) => one.files).length;
}

test('the numbers agree with the lists, and no file is counted twice', () => {
  expect(steps).toHaveLength(12);
  expect(steps.map(({ count }) => count)).toEqual(steps.map((one) => one.files.length));
  expect(new Set(files).size).toBe(files.length);
  const numbers = [...(section.split('\n|')[0] ?? '').matchAll(/\b\d+\b/g)].map(Number);
  expect(numbers).toEqual([
    files.length,
    upTo('the job is sent'),
    upTo('the campaign workflow is started'),
  ]);
});

test('each file is imported by another one of the path, or by those that put a worker together', () => {
  const importers = new Set([...files, ...WIRING].map((file) => `src/${file}`));
  const imported = new Set(
    importsBelow(ROOT, 'src')
      .filter(({ from }) => importers.has(from))
      .map(({ target }) => target),
  );
  expect(files.filter((file) => file !== FIRST && !imported.has(`src/${file}`))).toEqual([]);
});
