/** Recorded runs of b2bTools and ShiftCrypt (INDEX.csv and files), and the same jobs through the real engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { PREDICTORS } from '../../src/domain/item.ts';
import type { Output, OutputName } from '../../src/local-services/engines/engine.ts';
import {
  alignmentCommand,
  commandOf,
  type Command,
  type PredictionJob,
} from '../../src/local-services/engines/real/b2btools/command.ts';
import { whyUnfit } from '../../src/local-services/engines/real/b2btools/objections.ts';
import { runB2bTools } from '../../src/local-services/engines/real/b2btools/run.ts';
import type { WarmB2bTools } from '../../src/local-services/engines/real/b2btools/warm.ts';
import { parseFasta } from '../../src/local-services/fasta.ts';
import { detectFormat } from '../../src/local-services/star.ts';
import { ALONE } from './alone.ts';
import { compareOutputs, predictionFailure } from './compare-predictions.ts';
import type { LeftOut, VerifiableRun, VerifiedRow } from './row.ts';

/** A line of INDEX.csv. */
interface IndexRow {
  readonly key: string;
  readonly command: string;
  readonly exit_code: string;
  readonly last_log_line: string;
}

interface RecordedRun {
  readonly key: string;
  readonly job: PredictionJob;
  /** For an alignment with the recorded predictors, of which the service always runs four. */
  readonly command: Command;
  /** Null if it succeeded. */
  readonly failure: string | null;
  readonly outputs: ReadonlyMap<OutputName, string>;
}

const INPUTS: Readonly<Record<string, readonly string[]>> = {
  single: ['sequences/single', 'sequences'],
  edge: ['sequences/awkward', 'sequences', 'sequences/single'],
  msa: ['alignments', 'alignments/malformed'],
  shiftcrypt: ['shifts'],
};

const ENDINGS: Readonly<Record<OutputName, string>> = {
  result: '.json',
  csv: '.csv',
  metadata: '.metadata.csv',
  distributions: '.distributions.json',
};

/** Every run under `folder`, `own/` or `public/` of the sample data; none if it is missing. */
export function predictionRuns(
  folder: string,
  engine: WarmB2bTools,
): { readonly runs: VerifiableRun[]; readonly leftOut: LeftOut[] } {
  const golden = join(folder, 'golden', 'b2btools');
  if (!existsSync(join(golden, 'INDEX.csv'))) return { runs: [], leftOut: [] };
  const rows: IndexRow[] = parse(readFileSync(join(golden, 'INDEX.csv')), { columns: true });
  const runs: VerifiableRun[] = [];
  const leftOut: LeftOut[] = [];
  for (const row of rows) {
    const { key } = row;
    const job = jobOf(row, folder);
    if (typeof job === 'string') leftOut.push({ key, why: job });
    else {
      const recorded = { key, ...job, ...readOutcome(row, golden) };
      runs.push({ key, verify: () => verify(recorded, engine) });
    }
  }
  return { runs, leftOut };
}

/** The job of a recorded command, or why no submission can be one. */
function jobOf(
  { key, command }: IndexRow,
  folder: string,
): Pick<RecordedRun, 'job' | 'command'> | string {
  const words = command.split(' ');
  const after = (option: string): string => words[words.indexOf(option) + 1] ?? '';
  const text = inputText(key, after('-i'), folder);
  if (text === null) return 'no UTF-8 text, so no submission can carry it';
  if (text.trim() === '') return 'no text, so it is refused at submission';
  if (words[0] === 'shiftcrypt') {
    const originalNumbering = !words.includes('--no_original_numbering');
    const options = { format: detectFormat(text), modelClass: after('-m'), originalNumbering };
    const job = { kind: 'shifts', text, ...options } as const;
    return { job, command: commandOf(job) };
  }
  const flags = words.filter((word) => word.startsWith('--') && word !== '--mode');
  const predictors = flags.map((flag) => flag.slice(2));
  const known = (name: string): boolean => (PREDICTORS as readonly string[]).includes(name);
  if (!predictors.every(known)) return 'no such predictor: the worker fails it without an engine';
  if (text.startsWith('\uFEFF')) return 'the service takes the byte order mark off';
  const { records } = parseFasta(text);
  if (words.includes('msa')) {
    const lengths = new Set(records.map(({ residues }) => residues.length));
    if (records.length < 2 || lengths.size > 1)
      return 'no alignment, so it is refused at submission';
    return { job: { kind: 'alignment', fasta: text }, command: alignmentCommand(predictors) };
  }
  if (records.length === 0) return 'the service adds the header that it lacks';
  const job = { kind: 'sequence', fasta: text, predictors, unknownPredictors: [] } as const;
  return { job, command: commandOf(job) };
}

/** Null if it is not UTF-8 text. */
function inputText(key: string, name: string, folder: string): string | null {
  const places = INPUTS[key.split('/')[0] ?? ''] ?? [];
  const path = places.map((place) => join(folder, place, name)).find((file) => existsSync(file));
  if (path === undefined) return recordOf(name, folder);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Single records are kept once, in the file of all: the input `sp_P00981_IVBKI.fasta` is `>sp|P00981|IVBKI …`. */
function recordOf(name: string, folder: string): string {
  const { records } = parseFasta(readFileSync(join(folder, 'sequences/proteins.fasta'), 'utf8'));
  const record = records.find(({ header }) => {
    const [id = ''] = header.split(' ');
    return name === `${id.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}.fasta`;
  });
  if (record === undefined) throw new Error(`The input ${name} is missing under ${folder}.`);
  return `>${record.header}\n${record.residues}\n`;
}

function readOutcome(row: IndexRow, golden: string): Pick<RecordedRun, 'failure' | 'outputs'> {
  const outputs = new Map<OutputName, string>();
  for (const [name, ending] of Object.entries(ENDINGS) as [OutputName, string][]) {
    const path = join(golden, `${row.key}${ending}`);
    if (existsSync(path)) outputs.set(name, readFileSync(path, 'utf8'));
    const packed = `${path}.gz`;
    if (existsSync(packed)) outputs.set(name, gunzipSync(readFileSync(packed)).toString());
  }
  return { failure: row.exit_code === '0' ? null : row.last_log_line, outputs };
}

async function verify(run: RecordedRun, engine: WarmB2bTools): Promise<VerifiedRow> {
  const startedAt = performance.now();
  const outcome = await runB2bTools(engine, run.job, ALONE, run.command);
  const seconds = (performance.now() - startedAt) / 1000;
  const { key, job } = run;
  const before = ending(job, run.failure, run.outputs.get('result'));
  const now = outcome.ok
    ? ending(job, null, textOf(outcome.outputs, 'result'))
    : ending(job, outcome.message, undefined);
  const service = outcome.ok ? (whyUnfit(job) ?? '') : '';
  const row = { key, seconds, recorded: before, now, service };
  if (before === 'ok' && outcome.ok) return { ...row, ...compare(run.outputs, outcome.outputs) };
  // Recorded without tables, an empty result counted as a success; writing tables of nothing is an error.
  const same = before === now || (before === NOTHING && !outcome.ok);
  return { ...row, same, detail: outcome.ok ? '' : outcome.message };
}

const NOTHING = 'ok, but no result';

/** Of some runs no result was kept. */
function ending(job: PredictionJob, failure: string | null, result = '"backbone"'): string {
  if (failure !== null) return predictionFailure(failure);
  return job.kind !== 'shifts' && !result.includes('"backbone"') ? NOTHING : 'ok';
}

function textOf(outputs: readonly Output[], name: OutputName): string {
  return Buffer.from(outputs.find((output) => output.name === name)?.body ?? []).toString();
}

function compare(
  recorded: RecordedRun['outputs'],
  made: readonly Output[],
): Pick<VerifiedRow, 'same' | 'detail'> {
  const differences = [...recorded].map(([name, text]) =>
    compareOutputs(name, text, textOf(made, name)),
  );
  const where = differences.flatMap((difference) => difference.where ?? [])[0];
  if (where !== undefined) return { same: false, detail: where };
  const values = differences.reduce((sum, difference) => sum + difference.values, 0);
  const furthest = Math.max(0, ...differences.map((difference) => difference.furthest));
  return { same: true, detail: `${values} values, within ${furthest.toExponential(1)}` };
}
