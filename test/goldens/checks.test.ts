/**
 * The verdict of every check of results: all recordings of the engines, and each with systematic corruptions. The golden
 * `checks.txt` has how many got which code; a changed line needs a sentence in its commit.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { InputText } from '../../src/domain/campaign.ts';
import type { MoleculeOptions, PREDICTORS } from '../../src/kinds/vocabulary.ts';
import { readComposition } from '../../src/kinds/molecule/input.ts';
import { checkMolecule, checkFiles as checkMoleculeFiles } from '../../src/kinds/molecule/check.ts';
import {
  checkPrediction,
  type PredictionOptions,
  checkFiles,
} from '../../src/kinds/protein/check.ts';
import { readNativeFiles } from '../../src/kinds/molecule/files.ts';
import {
  type Corruption,
  MOLECULE_CORRUPTIONS,
  PREDICTION_CORRUPTIONS,
  type Recorded,
  type Texts,
} from './check-cases.ts';

const ROOT = join(import.meta.dirname, '../..');
const RECORDINGS = join(ROOT, 'packages/local-services/recordings');

interface Indexed {
  readonly kind: 'molecule' | 'sequence' | 'alignment' | 'shifts';
  readonly options: string;
  /** A SMILES or the name of a file. */
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly failure?: string;
}

const INDEX = JSON.parse(readFileSync(join(RECORDINGS, 'index.json'), 'utf8')) as {
  readonly recordings: readonly Indexed[];
};

/** Paths of the inputs in the project, by their names. */
const INPUTS = new Map(
  ['batches', 'examples', 'test']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((path) =>
        join(ROOT, folder, String(path)),
      ),
    )
    .map((path) => [basename(path), path]),
);

function textsOf({ files }: Indexed): Texts {
  const texts = Object.entries(files).map(([name, path]) => [
    name,
    gunzipSync(readFileSync(join(RECORDINGS, path))).toString(),
  ]);
  const read = Object.fromEntries(texts) as Texts;
  const { job } = read;
  return job === undefined ? read : (JSON.parse(job) as { results: Texts }).results;
}

/** Residues by record, of a result of sequences. */
function fastaOf(result: string): string {
  const { proteins } = JSON.parse(result) as { proteins: Record<string, { seq?: string[] }> };
  return Object.entries(proteins)
    .map(([id, { seq = [] }]) => `>${id}\n${seq.join('')}\n`)
    .join('');
}

function inputOf({ kind, what }: Indexed, texts: Texts): string | null {
  const path = INPUTS.get(what);
  if (path !== undefined && existsSync(path)) return readFileSync(path, 'utf8');
  if (kind === 'sequence') return fastaOf(texts['result'] ?? '');
  return kind === 'molecule' && !what.includes('.') ? what : null;
}

/** The successful recordings of a kind whose input is known, each with the texts of the one before it. */
function recordedJobs(kind: Indexed['kind']): (Recorded & { readonly options: string })[] {
  const jobs = INDEX.recordings
    .filter((one) => one.kind === kind && one.failure === undefined)
    .map((one) => ({ one, texts: textsOf(one) }))
    .flatMap(({ one, texts }) => {
      const input = inputOf(one, texts);
      return input === null ? [] : [{ what: one.what, options: one.options, input, texts }];
    });
  return jobs.map((job, at) => ({ ...job, other: jobs.at(at - 1)?.texts ?? {} }));
}

type Job = ReturnType<typeof recordedJobs>[number];

async function moleculeVerdict({ what, input, options, texts }: Job): Promise<string> {
  const [chargeMethod, netCharge, atomType] = options.split('/');
  const molecule = {
    kind: 'molecule',
    chargeMethod,
    netCharge: netCharge === 'auto' ? null : Number(netCharge),
    atomType,
  } as MoleculeOptions;
  const name =
    what.includes('.') && INPUTS.has(what) ? `input${/\.\w+$/.exec(what)?.[0] ?? ''}` : 'input.smi';
  const file: InputText = { name, text: input };
  const record = JSON.stringify({ results: [texts] });
  const composition = await readComposition(file);
  const check = await checkMolecule(record, molecule, composition);
  if (check !== null) return check.code;
  const native = readNativeFiles({ results: [texts] }, molecule);
  return (native.ok ? checkMoleculeFiles(native)?.code : native.code) ?? 'ok';
}

function predictionOptions(
  kind: 'sequence' | 'alignment' | 'shifts',
  options: string,
): PredictionOptions {
  if (kind === 'sequence') {
    return { kind, predictors: options.split('+') as (typeof PREDICTORS)[number][] };
  }
  if (kind === 'alignment') return { kind };
  const [, model, ids] = /model (\d)\/(\w+)/.exec(options) ?? [];
  return {
    kind,
    model: Number(model),
    originalNumbering: ids === 'original',
  } as unknown as PredictionOptions;
}

function predictionVerdict(kind: 'sequence' | 'alignment' | 'shifts') {
  return async ({ what, input, options, texts }: Job): Promise<string> => {
    const file: InputText = { name: what, text: input };
    const check = await Promise.resolve(
      checkPrediction(texts['result'] ?? '', predictionOptions(kind, options), file),
    );
    if (check !== null) return check.code;
    return checkFiles(texts, { remoteId: 'abc123' })?.code ?? 'ok';
  };
}

/** Lines `corruption: code count, code count`. */
async function verdicts(
  jobs: readonly Job[],
  corruptions: Readonly<Record<string, Corruption>>,
  verdict: (job: Job) => Promise<string>,
): Promise<string> {
  const lines: string[] = [];
  for (const [name, corrupt] of Object.entries(corruptions)) {
    const counts = new Map<string, number>();
    for (const job of jobs) {
      const changed = corrupt(job);
      if (changed === null) continue;
      const code = await verdict({ ...job, ...changed });
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    const told = [...counts].sort().map(([code, count]) => `${code} ${count}`);
    lines.push(`  ${name}: ${told.join(', ')}`);
  }
  return lines.join('\n');
}

test('the verdict of every check, on every recording and its corruptions', async () => {
  const molecules = recordedJobs('molecule');
  const parts = [
    `${molecules.length} molecules\n${await verdicts(molecules, MOLECULE_CORRUPTIONS, moleculeVerdict)}`,
  ];
  for (const kind of ['sequence', 'alignment', 'shifts'] as const) {
    const jobs = recordedJobs(kind);
    const told = await verdicts(jobs, PREDICTION_CORRUPTIONS, predictionVerdict(kind));
    parts.push(`${jobs.length} results of kind ${kind}\n${told}`);
  }
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot('checks.txt');
});
