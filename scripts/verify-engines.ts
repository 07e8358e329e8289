/**
 * Compares the real engines with their recorded runs: `npm run verify:engines [-- --only WORD] [--sample N] [--data DIR]`.
 * Prints a table and a summary; exit code 1 when a run differs, 2 when nothing could be compared.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installedEngine } from '../src/local-services/engines/real/installed.ts';
import { moleculeRuns } from './verify/molecules.ts';
import type { LeftOut, VerifiableRun, VerifiedRow } from './verify/row.ts';
import { sampleOf } from './verify/sample.ts';
import { line, summary, TITLES } from './verify/table.ts';

/** The sample data, beside the checkout. */
const DATA = join(import.meta.dirname, '..', '..', 'shared', 'data');

const { values: orders } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    data: { type: 'string', default: DATA },
  },
});

function gather(): { runs: VerifiableRun[]; leftOut: LeftOut[]; absent: string[] } {
  const found = { runs: [] as VerifiableRun[], leftOut: [] as LeftOut[], absent: [] as string[] };
  const acpype = installedEngine('acpype');
  if (acpype === null) found.absent.push('acpype');
  // The predictions' runs are added here in the same way.
  for (const part of ['own', 'public']) {
    if (acpype === null) continue;
    const { runs, leftOut } = moleculeRuns(join(orders.data, part), acpype);
    const named = (key: string): string => `${part}/acpype/${key}`;
    found.runs.push(...runs.map((run) => ({ ...run, key: named(run.key) })));
    found.leftOut.push(...leftOut.map((one) => ({ ...one, key: named(one.key) })));
  }
  return found;
}

/** As many at a time as there are cores; each line is printed when its run has ended. */
async function verifyAll(runs: readonly VerifiableRun[]): Promise<VerifiedRow[]> {
  const rows: VerifiedRow[] = [];
  const waiting = runs[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const run of waiting) {
      const row = { ...(await run.verify()), key: run.key };
      rows.push(row);
      process.stdout.write(`${line(row)}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return rows;
}

const { runs, leftOut, absent } = gather();
const wanted = runs.filter(({ key }) => key.includes(orders.only));
const chosen = orders.sample === undefined ? wanted : sampleOf(wanted, Number(orders.sample));
for (const name of absent) process.stdout.write(`${name} is not installed: npm run engines\n`);
process.stdout.write(`${TITLES}\n`);
const rows = await verifyAll(chosen);
for (const { key, why } of leftOut) process.stdout.write(`left out: ${key}: ${why}\n`);
process.stdout.write(`${summary(rows, runs.length)}\n`);
if (rows.length === 0) process.exitCode = 2;
else process.exitCode = rows.every(({ same }) => same) ? 0 : 1;
