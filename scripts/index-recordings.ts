/**
 * Copies the recorded outputs of the real engines into `src/local-services/recordings/` and writes their index.
 *
 *   node scripts/index-recordings.ts SOURCE
 *
 * SOURCE holds `molecules/`, `sequences/`, `alignments/`, `shifts/` (the inputs), `golden/acpype` and
 * `golden/b2btools` with an `INDEX.csv` each (the outputs, gzip-compressed), and `licences/`.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { canonical } from '../src/local-services/engines/canonical.ts';
import type { EngineJob } from '../src/local-services/engines/engine.ts';
import type { Recording, RecordingIndex } from '../src/local-services/engines/recordings.ts';
import { parseFasta } from '../src/local-services/fasta.ts';

const TARGET = fileURLToPath(new URL('../src/local-services/recordings/', import.meta.url));

/** The part of a recorded acpype job that the index needs. */
interface RecordedMolecule {
  smiles: string | null;
  input_file: string | null;
  charge_method: string;
  net_charge: number | null;
  atom_type: string;
  ok: boolean;
  log: string;
  title: string;
}

function rows(file: string): Record<string, string>[] {
  return parse(readFileSync(file), { columns: true });
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(TARGET, to)), { recursive: true });
  copyFileSync(from, join(TARGET, to));
}

/** UTF-8 text, or null: the services take text, so what is not UTF-8 never reaches an engine. */
function text(file: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch {
    return null;
  }
}

function* molecules(source: string): Generator<Recording> {
  for (const row of rows(join(source, 'golden/acpype/INDEX.csv'))) {
    const from = join(source, `golden/acpype/${row['key'] ?? ''}.json.gz`);
    const recorded = JSON.parse(gunzipSync(readFileSync(from)).toString()) as RecordedMolecule;
    // `bbc` is refused by the service (contract 2.1), so the engine never gets it.
    if (recorded.charge_method === 'bbc') continue;
    const file = recorded.input_file;
    const inputFile = file === null ? null : text(join(source, 'molecules', file));
    if (file !== null && inputFile === null) continue;
    const job: EngineJob = {
      kind: 'molecule',
      smiles: recorded.smiles,
      inputFile,
      fileName: file ?? recorded.title,
      chargeMethod: recorded.charge_method,
      netCharge: recorded.net_charge,
      atomType: recorded.atom_type,
    };
    const to = `acpype/${row['key'] ?? ''}.json.gz`;
    const failure = /^ACPYPE FAILED: ?.*$/m.exec(recorded.log)?.[0].trim();
    if (!recorded.ok && failure === undefined) throw new Error(`${to} failed without saying so`);
    yield {
      ...canonical(job),
      what: file ?? recorded.smiles ?? '',
      files: { job: to },
      ...(recorded.ok || failure === undefined ? {} : { failure }),
    };
  }
}

/** Folders of the inputs of a group of recordings; one file name has different inputs in two of them. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  single: ['sequences/single', 'sequences'],
  edge: ['sequences/awkward', 'sequences', 'sequences/single'],
  msa: ['alignments', 'alignments/malformed'],
  shiftcrypt: ['shifts'],
};

/** Unequal lengths are refused by the service (contract 4.2). */
function isAligned(fasta: string): boolean {
  return new Set(parseFasta(fasta).records.map((record) => record.residues.length)).size === 1;
}

/** The job of a recorded command line; null if the service cannot get it. */
function predictionJob(
  folders: readonly string[],
  command: string,
): { job: EngineJob; what: string } | null {
  const words = command.split(' ');
  const name = words[words.indexOf('-i') + 1] ?? '';
  const file = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  const content = file === undefined ? null : text(file);
  if (content === null) return null;
  if (words[0] === 'shiftcrypt') {
    const modelClass = words[words.indexOf('-m') + 1] ?? '';
    const originalNumbering = !words.includes('--no_original_numbering');
    return {
      job: { kind: 'shifts', text: content, format: null, modelClass, originalNumbering },
      what: name,
    };
  }
  // The service strips a byte order mark and adds a missing header: the engine never gets input without.
  if (content.startsWith('\uFEFF') || parseFasta(content).records.length === 0) return null;
  if (words.includes('msa') && !isAligned(content)) return null;
  if (words.includes('msa')) return { job: { kind: 'alignment', fasta: content }, what: name };
  const predictors = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  return {
    job: { kind: 'sequence', fasta: content, predictors, unknownPredictors: [] },
    what: name,
  };
}

/** The first recording of an input and its options is used; edge cases repeat some in another notation. */
function withoutRepeats(recordings: Iterable<Recording>): Recording[] {
  const seen = new Set<string>();
  return [...recordings].filter(({ kind, input, options }) => {
    const key = `${kind} ${input} ${options}`;
    return seen.size < seen.add(key).size;
  });
}

const ENDINGS = [
  ['result', '.json.gz'],
  ['csv', '.csv.gz'],
  ['metadata', '.metadata.csv.gz'],
  ['distributions', '.distributions.json.gz'],
] as const;

function* predictions(source: string): Generator<Recording> {
  const fromSingle = new Set<string>();
  const golden = join(source, 'golden/b2btools');
  for (const row of rows(join(golden, 'INDEX.csv'))) {
    const key = row['key'] ?? '';
    if (row['exit_code'] === '2') continue;
    // Broken alignments were recorded with dynamine alone, and the service runs four: a success would lack the
    // others, while a failure of dynamine is a failure of all.
    if (key.startsWith('msa/malformed') && row['exit_code'] === '0') continue;
    const folders = FOLDERS[key.split('/')[0] ?? ''] ?? [];
    const found = predictionJob(
      folders.map((folder) => join(source, folder)),
      row['command'] ?? '',
    );
    if (found === null) continue;
    const entry = canonical(found.job);
    // Edge cases that are a known sequence in another notation are answered by the full recording.
    if (key.startsWith('single/')) fromSingle.add(entry.input);
    else if (key.startsWith('edge/') && fromSingle.has(entry.input)) continue;
    if (row['exit_code'] !== '0') {
      const failure = (row['last_log_line'] ?? '').replace(/^.*ERROR\] /, '');
      yield { ...entry, what: found.what, files: {}, failure };
      continue;
    }
    const files: Record<string, string> = {};
    for (const [output, ending] of ENDINGS) {
      const path = `b2btools/${key}${ending}`;
      if (existsSync(join(source, 'golden', path))) files[output] = path;
    }
    yield { ...entry, what: found.what, files };
  }
}

function main(source: string): void {
  for (const folder of ['acpype', 'b2btools'])
    rmSync(join(TARGET, folder), { recursive: true, force: true });
  const index: RecordingIndex = {
    about:
      'Made by scripts/index-recordings.ts: the recorded output for the SHA-256 of a canonical input (engines/canonical.ts) and its options.',
    programs: {
      molecule: 'acpype 2023.10.27',
      sequence: 'b2bTools 3.0.9',
      alignment: 'b2bTools 3.0.9',
      shifts: 'b2bTools 3.0.9 (ShiftCrypt)',
    },
    recordings: withoutRepeats([...molecules(source), ...predictions(source)]),
  };
  for (const { files } of index.recordings) {
    for (const path of Object.values(files)) copy(join(source, 'golden', path), path);
  }
  writeFileSync(join(TARGET, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
  for (const licence of ['biopython-1.88-LICENSE.rst'])
    copy(join(source, 'licences', licence), `licences/${licence}`);
  process.stdout.write(`${String(index.recordings.length)} recordings indexed\n`);
}

const source = process.argv[2];
if (source === undefined) {
  process.stderr.write('usage: node scripts/index-recordings.ts SOURCE\n');
  process.exitCode = 1;
} else {
  main(source);
}
