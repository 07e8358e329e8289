/** Recorded runs of ACPYPE (INDEX.csv and one file per run), and the same jobs through the real engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { MoleculeJob } from '../../src/local-services/engines/engine.ts';
import { objectionTo } from '../../src/local-services/engines/real/acpype/objections.ts';
import { runAcpype } from '../../src/local-services/engines/real/acpype/run.ts';
import {
  ENGINE_VERSIONS,
  type Installed,
} from '../../src/local-services/engines/real/installed.ts';
import { sharedLibrary } from '../../src/local-services/engines/real/shared-library.ts';
import { ALONE } from './alone.ts';
import { compareMolecules, failureClass } from './compare-molecules.ts';
import type { LeftOut, VerifiableRun, VerifiedRow } from './row.ts';

/** A recorded run, as in the sample data. */
interface RecordedRun {
  readonly smiles: string | null;
  readonly input_file: string | null;
  readonly charge_method: string;
  readonly net_charge: number | null;
  readonly atom_type: string;
  readonly ok: boolean;
  readonly log: string;
  readonly name: string;
  readonly results: Readonly<Record<string, string>>;
}

/** Runs of a version of ACPYPE beside the recorded one, with the inputs of `own/`. */
export const otherRecordings = (version: string): string =>
  join(import.meta.dirname, '..', '..', 'test', 'recordings', `acpype-${version}`);

/**
 * Every run under `folder`, `own/` or `public/` of the sample data; none where it is absent.
 * @param golden the folder of the runs
 */
export function moleculeRuns(
  folder: string,
  engine: Installed,
  golden: string = join(folder, 'golden', 'acpype'),
): { readonly runs: VerifiableRun[]; readonly leftOut: LeftOut[] } {
  if (!existsSync(join(golden, 'INDEX.csv'))) return { runs: [], leftOut: [] };
  const rows: { key: string }[] = parse(readFileSync(join(golden, 'INDEX.csv')), { columns: true });
  const runs: VerifiableRun[] = [];
  const leftOut: LeftOut[] = [];
  for (const { key } of rows) {
    const packed = readFileSync(join(golden, `${key}.json.gz`));
    const recorded = JSON.parse(gunzipSync(packed).toString()) as RecordedRun;
    const job = jobOf(recorded, join(folder, 'molecules'));
    if (recorded.charge_method === 'bbc') leftOut.push({ key, why: 'the service refuses bbc' });
    else if (job === null) leftOut.push({ key, why: 'no UTF-8, so no submission can carry it' });
    else runs.push({ key, verify: () => verify(key, recorded, job, engine) });
  }
  return { runs, leftOut };
}

function jobOf(recorded: RecordedRun, molecules: string): MoleculeJob | null {
  const file = recorded.input_file;
  const options = {
    kind: 'molecule',
    chargeMethod: recorded.charge_method,
    netCharge: recorded.net_charge,
    atomType: recorded.atom_type,
  } as const;
  if (file === null) {
    return { ...options, smiles: recorded.smiles, inputFile: null, fileName: recorded.name };
  }
  try {
    const bytes = readFileSync(join(molecules, file));
    const inputFile = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ...options, smiles: null, inputFile, fileName: file };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function verify(
  key: string,
  recorded: RecordedRun,
  job: MoleculeJob,
  engine: Installed,
): Promise<VerifiedRow> {
  const bringsItsOwn = engine.version !== ENGINE_VERSIONS.acpype;
  const netcdf = bringsItsOwn ? null : sharedLibrary('libnetcdf.so.19');
  if (netcdf === null && !bringsItsOwn)
    throw new Error('libnetcdf.so.19 is gone: npm run engines -- --check');
  const startedAt = performance.now();
  const outcome = await runAcpype(engine, netcdf, job, ALONE);
  const seconds = (performance.now() - startedAt) / 1000;
  const row = { key, seconds, recorded: recorded.ok ? 'ok' : failureClass(recorded.log) };
  if (!outcome.ok) {
    const now = failureClass(outcome.log);
    const same = row.recorded === now;
    return { ...row, now, same, detail: outcome.message, service: '' };
  }
  const service = objectionTo(job, outcome.files) ?? '';
  if (!recorded.ok) return { ...row, now: 'ok', same: false, detail: '', service };
  const mol2 = recorded.results['mol2'] ?? '';
  const compared = compareMolecules(mol2, outcome.files.mol2);
  if (!compared.chargesAlone || job.smiles === null) {
    return { ...row, now: 'ok', service, same: compared.same, detail: compared.detail };
  }
  // Open Babel gives a SMILES another conformation each time, which changes AM1-BCC charges: the recorded one is used.
  const placed = { ...job, smiles: null, inputFile: mol2, fileName: `${job.fileName}.mol2` };
  const again = await runAcpype(engine, netcdf, placed, ALONE);
  const { same, detail } = again.ok
    ? compareMolecules(mol2, again.files.mol2)
    : { same: false, detail: again.message };
  const both = `${compared.detail} in another conformation; from the recorded places: ${detail}`;
  return { ...row, now: 'ok', service, same, detail: both };
}
