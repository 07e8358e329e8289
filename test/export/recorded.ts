/** Results of the real engines, as items of an export, and an export of them in memory or in a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ExportItem, LeftOut } from '../../src/export/format.ts';
import { findExportFormat, type LeftOutItem, type Remark } from '../../src/export/export.ts';
import { readMolecule } from '../../src/kinds/molecule/result.ts';
import { readAlignment, readSequences } from '../../src/kinds/protein/payload.ts';
import { readNativeFiles } from '../../src/kinds/molecule/files.ts';
import { golden, goldens } from '../kinds/goldens.ts';
import { acpypeRecording, recordedOptions } from '../services/recordings.ts';

export interface RecordedItem extends ExportItem {
  /** Empty for a file. */
  readonly input: { readonly name: string; readonly text: string };
}

/** All that acpype created files for, also the silently wrong ones: a benzene without hydrogens, two molecules. */
export function recordedMolecules(): readonly RecordedItem[] {
  const ids = goldens('acpype', '.json').map((file) => file.replace(/^acpype\/|\.json$/g, ''));
  return ids.filter((id) => acpypeRecording(id).ok).map(recordedMolecule);
}

export function recordedMolecule(id: string): RecordedItem {
  const job = acpypeRecording(id);
  const options = recordedOptions(job);
  const native = readNativeFiles({ results: [job.results] }, options);
  if (!native.ok) throw new Error(`${id}: ${native.message}`);
  const text = (ending: string): string =>
    native.files.find(({ fileName }) => fileName.endsWith(ending))?.text ?? '';
  const endings = ['_GMX.itp', '_GMX.gro', '_NEW.pdb', '_AC.prmtop', '_AC.inpcrd'];
  const reading = readMolecule({
    itp: text('_GMX.itp'),
    pdb: text('_NEW.pdb'),
    frcmod: text('_AC.frcmod'),
  });
  const input = { name: job.smiles === null ? 'input.pdb' : 'input.smi', text: job.smiles ?? '' };
  return {
    id,
    record: recordOf(id, options, input.name),
    files: Object.fromEntries(endings.map((ending) => [ending, text(ending)])),
    input,
    reading,
  };
}

/** @throws every other error */
function describeLeftOut({ id }: ExportItem, error: unknown): LeftOutItem {
  if (!(error instanceof LeftOut)) throw error;
  return { id, code: error.code, message: error.message };
}

type Described = ExportItem['record'];

function recordOf(id: string, options: Described['options'], name: string): Described {
  const input = { name, bytes: 0, sha256: '' };
  const source = { file: 'night.csv', line: 2 };
  const rest = { user: { project: 'night' }, source, finishedAt: null, files: {} };
  return { id, kind: options.kind, options, input, ...rest };
}

/** All that b2bTools predicted for single sequences. */
export function recordedSequences(): readonly ExportItem[] {
  return goldens('b2btools/single', '.json').map((file) => sequenceItem(file));
}

function proteinItem(
  file: string,
  options: Described['options'],
  reading: ExportItem['reading'],
): ExportItem {
  const id = (file.split('/').at(-1) ?? '').replace(/\.json$/, '');
  const record = recordOf(id, options, 'input.fasta');
  return { id, record, files: {}, reading, input: null };
}

export function sequenceItem(file: string): ExportItem {
  const options = { kind: 'sequence', predictors: ['dynamine'] } as const;
  return proteinItem(file, options, readSequences(golden(file)));
}

export function recordedAlignments(): readonly ExportItem[] {
  return goldens('b2btools/msa', '.json')
    .filter((file) => !file.includes('distribution'))
    .map((file) => {
      const reading = readAlignment(golden(file), null);
      return proteinItem(file, { kind: 'alignment' }, reading);
    });
}

/** Letters and codes of the amino acids, in one order. */
const LETTERS = 'ARNDCQEGHILKMFPSTWYV';
const CODES = 'ALAARGASNASPCYSGLNGLUGLYHISILELEULYSMETPHEPROSERTHRTRPTYRVAL';

export interface Made {
  /** Number of the first residue of the sequence. */
  readonly first?: number;
  /** Indices into the sequence of residues that are missing in the structure. */
  readonly without?: readonly number[];
}

/** A structure file of a sequence: backbone atoms on a helix, in the columns of the PDB format, and a water. */
export function madeStructure(sequence: string, { first = 1, without = [] }: Made = {}): string {
  const lines: string[] = [];
  for (const [index, letter] of [...sequence].entries()) {
    if (without.includes(index)) continue;
    const code = CODES.slice(3 * LETTERS.indexOf(letter)).slice(0, 3);
    for (const [turn, name] of ['N', 'CA', 'C', 'O'].entries()) {
      const angle = (index + turn / 4) * 1.745;
      const places = [2.3 * Math.cos(angle), 2.3 * Math.sin(angle), 1.5 * (index + turn / 4)];
      const serial = String(lines.length + 1).padStart(5);
      const residue = `${code} A${String(first + index).padStart(4)}    `;
      const place = places.map((one) => one.toFixed(3).padStart(8)).join('');
      const tail = `  1.00 20.00          ${name.charAt(0).padStart(2)}`;
      lines.push(`ATOM  ${serial}  ${name.padEnd(4)}${residue}${place}${tail}`);
      if (name === 'CA') lines.push(`ANISOU${(lines.at(-1) ?? '').slice(6)}`);
    }
  }
  const water = 'HETATM 9999  O   HOH W   1      50.000  50.000  50.000  1.00 30.00           O';
  return ['HEADER    MADE FOR A TEST', ...lines, 'TER', water, 'END', ''].join('\n');
}

interface InMemory {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOutItem[];
  readonly notes: readonly Remark[];
}

/** The same fold as in export.ts, without a store. */
export async function exportInMemory(
  format: string,
  items: Iterable<ExportItem>,
  predictor = 'backbone',
): Promise<InMemory> {
  const exporter = findExportFormat(format).start(predictor);
  const files = new Map<string, string>();
  const leftOut: LeftOutItem[] = [];
  const notes: Remark[] = [];
  for (const item of items) {
    try {
      const added = await exporter.add(item);
      for (const { file, text } of added.files ?? []) files.set(file, text);
      notes.push(...(added.notes ?? []).map((message) => ({ id: item.id, message })));
    } catch (error) {
      leftOut.push(describeLeftOut(item, error));
    }
  }
  for (const { file, text } of exporter.end?.() ?? []) files.set(file, text);
  return { files, leftOut, notes };
}

export async function writeTo(folder: string, { files }: InMemory): Promise<void> {
  for (const [file, text] of files) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
