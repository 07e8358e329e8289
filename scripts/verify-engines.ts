/**
 * Compares the real engines with their recorded runs: `npm run verify:engines [-- --only WORD] [--sample N] [--data DIR]`,
 * or another version of ACPYPE with its own: `--version 2026.10.15`. Prints a table and a summary; exit code 1 when a run differs, 2 when nothing could be compared.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WarmB2bTools } from '../src/local-services/engines/real/b2btools/warm.ts';
import {
  installedEngine,
  OTHER_VERSIONS,
  type RealEngineName,
} from '../src/local-services/engines/real/installed.ts';
import { moleculeRuns, otherRecordings } from './verify/molecules.ts';
import { predictionRuns } from './verify/predictions.ts';
import type { LeftOut, VerifiableRun, VerifiedRow } from './verify/row.ts';
import { sampleOf } from './verify/sample.ts';
import { line, summary, TITLES } from './verify/table.ts';

/** The sample data, beside the checkout. */
const DATA = join(import.meta.dirname, '..', '..', 'shared', 'data');

const { values: orders } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    version: { type: 'string' },
    data: { type: 'string', default: DATA },
  },
});

interface Runs {
  readonly runs: VerifiableRun[];
  readonly leftOut: LeftOut[];
}

type Gathered = Runs & { readonly absent: string[] };

/** For another version of ACPYPE the sample data contain only the inputs. */
function gatherOther(version: string): Gathered {
  const acpype = installedEngine('acpype', undefined, version);
  if (acpype === null) {
    return { runs: [], leftOut: [], absent: [`acpype ${version}`] };
  }
  return {
    ...moleculeRuns(join(orders.data, 'own'), acpype, otherRecordings(version)),
    absent: [],
  };
}

function gather(b2bTools: WarmB2bTools | null): Gathered {
  const found = { runs: [] as VerifiableRun[], leftOut: [] as LeftOut[], absent: [] as string[] };
  const acpype = installedEngine('acpype');
  if (acpype === null) found.absent.push('acpype');
  if (b2bTools === null) found.absent.push('b2btools');
  for (const part of ['own', 'public']) {
    const add = (engine: RealEngineName, { runs, leftOut }: Runs): void => {
      const named = <T extends { key: string }>(one: T): T => ({
        ...one,
        key: `${part}/${engine}/${one.key}`,
      });
      found.runs.push(...runs.map(named));
      found.leftOut.push(...leftOut.map(named));
    };
    const folder = join(orders.data, part);
    if (acpype !== null) add('acpype', moleculeRuns(folder, acpype));
    if (b2bTools !== null) add('b2btools', predictionRuns(folder, b2bTools));
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

const { version } = orders;
if (version !== undefined && !OTHER_VERSIONS.acpype.includes(version)) {
  const known = OTHER_VERSIONS.acpype.join(', ');
  process.stderr.write(`--version: ${version} is none of ${known}; without it, the recorded one\n`);
  process.exit(2);
}
const installed = version === undefined ? installedEngine('b2btools') : null;
const b2bTools = installed === null ? null : new WarmB2bTools(installed);
const { runs, leftOut, absent } = version === undefined ? gather(b2bTools) : gatherOther(version);
const wanted = runs.filter(({ key }) => key.includes(orders.only));
const chosen = orders.sample === undefined ? wanted : sampleOf(wanted, Number(orders.sample));
for (const name of absent) {
  const which = version === undefined ? '' : ` -- --version ${version}`;
  process.stdout.write(`${name} is not installed: npm run engines${which}\n`);
}
process.stdout.write(`${TITLES}\n`);
const rows = await verifyAll(chosen);
await b2bTools?.close();
for (const { key, why } of leftOut) {
  if (key.includes(orders.only)) process.stdout.write(`left out: ${key}: ${why}\n`);
}
process.stdout.write(`${summary(rows, runs.length)}\n`);
if (rows.length === 0) process.exitCode = 2;
else process.exitCode = rows.every(({ same }) => same) ? 0 : 1;
