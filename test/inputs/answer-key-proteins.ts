/**
 * Every sequence, alignment and shift file whose true outcome in the engine is known goes through the checks, with its
 * options. The outcome is derived from the recorded result, and what a result cannot show is listed here.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { Item } from '../../src/domain/item.ts';
import { readFasta } from '../../src/inputs/sequences/fasta.ts';
import { readManifests } from '../manifest/read-all.ts';
import { readPayload } from '../../src/results/payload.ts';

const DATA = path.join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** `wrong`: the engine reported success, but the result does not belong to the input that the user meant. */
type Outcome = 'right' | 'wrong' | 'fails';
/** `corrected`: passed, but what is sent differs from the user's input. */
type Verdict = 'passed' | 'corrected' | 'refused';

interface Judged {
  /** Folder of the sample data, and the run in its golden/b2btools/INDEX.csv. */
  readonly owner: string;
  readonly run: string;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  readonly codes: readonly string[];
}

/** Wrong for reasons that the result does not show. */
const KNOWN_WRONG = /nucleotides|all_x|duplicate_ids|one_sequence|unequal_length/;

interface Run {
  readonly run: string;
  readonly file: string;
  readonly row: Readonly<Record<string, string>>;
  readonly exitCode: number;
}

export function isThere(owner: string): boolean {
  return existsSync(path.join(DATA, owner, 'golden', 'b2btools', 'INDEX.csv'));
}

/** @param owner `own` or `public` */
export async function judgeProteins(owner: string): Promise<readonly Judged[]> {
  const runs = readRuns(owner);
  const folder = mkdtempSync(path.join(tmpdir(), 'hundredfold-answer-key-'));
  try {
    const rows = runs.map(({ row, file }, index) =>
      JSON.stringify({ id: `run-${String(index)}`, file: path.relative(folder, file), ...row }),
    );
    const manifest = path.join(folder, 'runs.jsonl');
    writeFileSync(manifest, rows.join('\n'));
    const { items, problems } = await readManifests([manifest], { allowOutside: true });
    return runs.map((run, index) => {
      const id = `run-${String(index)}`;
      const item = items.find((one) => one.id === id);
      const codes = problems.filter((one) => one.id === id).map(({ code }) => code);
      return { owner, run: run.run, ...judge(owner, run, item), codes: [...new Set(codes)] };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readRuns(owner: string): Run[] {
  const text = readFileSync(path.join(DATA, owner, 'golden', 'b2btools', 'INDEX.csv'));
  const index: Record<string, string>[] = parse(text, { columns: true });
  return index.flatMap(({ key: run = '', command = '', exit_code: exitCode }) => {
    const row = rowOf(run.split('/')[0] ?? '', command);
    const file = fileOf(owner, run, /-i (\S+)/.exec(command)?.[1] ?? '');
    const kept = exitCode !== '0' || goldenOf(owner, run) !== null;
    // Some inputs of the public runs were single records of a longer file, one result was not kept, and an unknown
    // predictor is checked with the row.
    return file === null || !kept || command.includes('--nosuch')
      ? []
      : [{ run, file, row, exitCode: Number(exitCode) }];
  });
}

function rowOf(sort: string, command: string): Record<string, string> {
  if (sort === 'shiftcrypt') {
    return {
      kind: 'shifts',
      model_class: /-m (\d)/.exec(command)?.[1] ?? '2',
      original_numbering: String(!command.includes('--no_original_numbering')),
    };
  }
  if (sort === 'msa') return { kind: 'alignment' };
  const names = ['dynamine', 'disomine', 'efoldmine', 'agmata', 'psper'];
  // The command line always runs dynamine.
  const asked = names.filter((name) => name === 'dynamine' || command.includes(`--${name}`));
  return { kind: 'sequence', predictors: asked.join(',') };
}

function fileOf(owner: string, run: string, name: string): string | null {
  const folder = run.startsWith('msa/')
    ? 'alignments'
    : run.startsWith('shift')
      ? 'shifts'
      : 'sequences';
  const [found] = globSync(`${folder}/**/${name}`, { cwd: path.join(DATA, owner) });
  return found === undefined ? null : path.join(DATA, owner, found);
}

function judge(owner: string, run: Run, item: Item | undefined) {
  const given = readFileSync(run.file, 'utf8');
  const outcome = outcomeOf(owner, run, given);
  if (item === undefined) return { outcome, verdict: 'refused' as const };
  const verdict: Verdict = item.input.text === given ? 'passed' : 'corrected';
  return { outcome, verdict };
}

function outcomeOf(owner: string, { run, exitCode }: Run, given: string): Outcome {
  if (exitCode !== 0) return 'fails';
  const payload = readPayload(readGolden(owner, run));
  if (!payload.ok || KNOWN_WRONG.test(run)) return 'wrong';
  const { entries } = payload;
  const valued = entries.every(({ values }) =>
    Object.entries(values).some(
      ([key, list]) => key !== 'seqCodes' && list.some((value) => value !== null && value !== -10),
    ),
  );
  if (!valued) return 'wrong';
  if (run.startsWith('shiftcrypt/')) return 'right';
  const sent = readFasta(given).records.map(({ residues }) => residues.toUpperCase());
  const gaps = run.startsWith('msa/') ? '-' : '';
  const read = entries.map(({ sequence }) => sequence);
  const whole =
    sent.length === read.length &&
    sent.every((residues) => /^[A-Z]*$/.test(residues.replaceAll(gaps || '\n', ''))) &&
    sent.every((residues) => read.includes(residues.replace(/[BJOUZ]/g, 'X')));
  return whole ? 'right' : 'wrong';
}

/** The recorded result, compressed or not. */
function goldenOf(owner: string, run: string): string | null {
  const file = path.join(DATA, owner, 'golden', 'b2btools', `${run}.json`);
  return [file, `${file}.gz`].find((one) => existsSync(one)) ?? null;
}

function readGolden(owner: string, run: string): Uint8Array {
  const file = goldenOf(owner, run) ?? '';
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const OUTCOMES: readonly Outcome[] = ['right', 'wrong', 'fails'];
const VERDICTS: readonly Verdict[] = ['passed', 'corrected', 'refused'];

/** Rows: the engine's outcome. Columns: the result of the checks. */
export function confusion(judged: readonly Judged[]): string {
  const lines = OUTCOMES.map((outcome) => {
    const counts = VERDICTS.map((verdict) =>
      String(judged.filter((one) => one.outcome === outcome && one.verdict === verdict).length),
    );
    return [outcome, ...counts];
  });
  return [['engine', ...VERDICTS], ...lines]
    .map((cells) => cells.map((cell) => cell.padStart(9)).join(''))
    .join('\n');
}
