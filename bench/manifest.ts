/**
 * `npm run bench:manifest`: the cost of reading, checking and planning large tables, and whether the checks are right.
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { answerKeyMolecules } from './answer-key-molecules.ts';
import { answerKeyProteins } from './answer-key-proteins.ts';
import { drugLikeSmiles } from './drug-like.ts';

const MEASURED = fileURLToPath(new URL('measured.ts', import.meta.url));

/** The result of one process that runs alone: `measured.ts`. */
interface Measured {
  readonly rows: number;
  readonly seconds: number;
  readonly peakMegabytes: number;
}

async function measured(what: string, file: string): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURED, what, file]);
  return JSON.parse(stdout) as Measured;
}

/** A table of sequences, without chemistry. */
function* sequenceTable(rows: number): Generator<string> {
  const residues = 'ACDEFGHIKLMNPQRSTVWY';
  yield 'id,kind,sequence,predictors,note\n';
  for (let row = 0; row < rows; row += 1) {
    // All different: the row's number in base 20, repeated with a growing offset.
    let sequence = '';
    for (let n = 0; n < 40; n += 1) {
      sequence += residues[(Math.floor(row / 20 ** (n % 6)) + 7 * n) % 20] ?? 'A';
    }
    yield `seq-${row},sequence,${sequence},"dynamine,disomine",plate ${row % 96}\n`;
  }
}

function* smilesTable(rows: number): Generator<string> {
  yield 'id,smiles\n';
  for (const [row, smiles] of drugLikeSmiles(rows).entries()) yield `mol-${row},${smiles}\n`;
}

async function inFolder(use: (folder: string) => Promise<string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function table(path: string, lines: Iterable<string>): Promise<string> {
  await pipeline(Readable.from(inPieces(lines)), createWriteStream(path));
  return path;
}

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < 1_000_000) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

const seconds = (n: number): string => `${n.toFixed(1)} s`;
const times = (a: number, b: number): string => `${(a / b).toFixed(2)} x`;

async function smiles(): Promise<string> {
  return inFolder(async (folder) => {
    const file = await table(join(folder, 'smiles.csv'), smilesTable(100_000));
    const rdkit = await measured('rdkit', file);
    const plan = await measured('plan', file);
    return [
      `${plan.rows} SMILES parsed, checked and planned in ${seconds(plan.seconds)},`,
      `RDKit alone in ${seconds(rdkit.seconds)}: ${times(plan.seconds, rdkit.seconds)};`,
      `peak ${plan.peakMegabytes} MB`,
    ].join(' ');
  });
}

async function rows(): Promise<string> {
  return inFolder(async (folder) => {
    const small = await table(join(folder, 'small.csv'), sequenceTable(100_000));
    const large = await table(join(folder, 'large.csv'), sequenceTable(1_000_000));
    const before = await measured('plan', small);
    const parse = await measured('csv-parse', large);
    const plan = await measured('plan', large);
    return [
      `${plan.rows} rows in ${seconds(plan.seconds)}, csv-parse alone in ${seconds(parse.seconds)}:`,
      `${times(plan.seconds, parse.seconds)}; peak ${plan.peakMegabytes} MB,`,
      `of ${before.rows} rows ${before.peakMegabytes} MB: ${times(plan.peakMegabytes, before.peakMegabytes)}`,
    ].join(' ');
  });
}

export const manifestCases: Readonly<Record<string, () => Promise<string>>> = {
  smiles,
  rows,
  'answer-key': async () => `\n${await answerKeyMolecules()}\n${await answerKeyProteins()}`,
};
