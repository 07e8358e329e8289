/** Results of the real engines, as items of an export, and an export of them in memory or in a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bondedMolecule } from '../../src/export/bonded-molecule.ts';
import { DEFAULT_OPTIONS, type ExportItem, type ExportOptions } from '../../src/export/format.ts';
import { exportFormatOf } from '../../src/export/formats.ts';
import type { LeftOutItem, Remark } from '../../src/export/export-record.ts';
import { withChemist } from '../../src/inputs/molecules/shared-chemist.ts';
import { readMolecule } from '../../src/results/molecule.ts';
import { readAlignment } from '../../src/results/alignment.ts';
import { readSequences } from '../../src/results/sequence.ts';
import { nativeFiles } from '../../src/services/molecules/files.ts';
import type { MoleculeOptions } from '../../src/domain/item.ts';
import { golden, goldens } from '../results/goldens.ts';

interface RecordedJob {
  readonly name: string;
  readonly smiles: string | null;
  readonly charge_method: MoleculeOptions['chargeMethod'];
  readonly atom_type: MoleculeOptions['atomType'];
  readonly net_charge: number | null;
  readonly ok: boolean;
  readonly results: Readonly<Record<string, string>>;
}

export interface RecordedItem extends ExportItem {
  /** Empty for a file. */
  readonly input: { readonly name: string; readonly text: string };
}

/** All that acpype created files for, also the silently wrong ones: a benzene without hydrogens, two molecules. */
export function recordedMolecules(): readonly RecordedItem[] {
  return goldens('own', 'acpype', '.json').flatMap((file) => {
    const job = JSON.parse(golden('own', file)) as RecordedJob;
    return job.ok ? [moleculeItem(file.replace(/^acpype\/|\.json$/g, ''), job)] : [];
  });
}

export function recordedMolecule(id: string): RecordedItem {
  return moleculeItem(id, JSON.parse(golden('own', `acpype/${id}.json`)) as RecordedJob);
}

function moleculeItem(id: string, job: RecordedJob): RecordedItem {
  const options: MoleculeOptions = {
    kind: 'molecule',
    chargeMethod: job.charge_method,
    netCharge: job.net_charge,
    atomType: job.atom_type,
  };
  const native = nativeFiles({ results: [job.results] }, options);
  if (!native.ok) throw new Error(`${id}: ${native.message}`);
  const text = (ending: string): string =>
    native.files.find(({ fileName }) => fileName.endsWith(ending))?.text ?? '';
  const endings = ['_GMX.itp', '_GMX.gro', '_GMX.top', '_NEW.pdb', '_AC.prmtop', '_AC.inpcrd'];
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
    molecule: null,
    structure: null,
  };
}

/** With bond orders, as for the formats that need them; those without are left out. */
export async function withBonds(items: readonly RecordedItem[]): Promise<{
  readonly items: readonly ExportItem[];
  readonly leftOut: readonly LeftOutItem[];
}> {
  const [bonded, leftOut]: [ExportItem[], LeftOutItem[]] = [[], []];
  await withChemist(async (chemist) => {
    for (const item of items) {
      if (item.reading?.kind !== 'molecule') continue;
      const molecule = await bondedMolecule(item.reading, item.input, chemist);
      if ('code' in molecule) leftOut.push({ id: item.id, ...molecule });
      else bonded.push({ ...item, molecule });
    }
  });
  return { items: bonded, leftOut };
}

function recordOf(
  id: string,
  options: ExportItem['record']['options'],
  name: string,
): ExportItem['record'] {
  const input = { name, bytes: 0, sha256: '' };
  return {
    id,
    kind: options.kind,
    options,
    input,
    user: { project: 'night' },
    finishedAt: null,
    files: {},
  };
}

/** All that b2bTools predicted for single sequences. */
export function recordedSequences(): readonly ExportItem[] {
  return goldens('own', 'b2btools/single', '.json').map((file) => sequenceItem(file));
}

export function sequenceItem(file: string): ExportItem {
  const id = (file.split('/').at(-1) ?? '').replace(/\.json$/, '');
  const options = { kind: 'sequence', predictors: ['dynamine'] } as const;
  const reading = readSequences(golden('own', file));
  const record = recordOf(id, options, 'input.fasta');
  return { id, record, files: {}, reading, molecule: null, structure: null };
}

export function recordedAlignments(): readonly ExportItem[] {
  return goldens('own', 'b2btools/msa', '.json')
    .filter((file) => !file.includes('distribution'))
    .map((file) => {
      const id = (file.split('/').at(-1) ?? '').replace(/\.json$/, '');
      const record = recordOf(id, { kind: 'alignment' }, 'input.fasta');
      const reading = readAlignment(golden('own', file), null);
      return { id, record, files: {}, reading, molecule: null, structure: null };
    });
}

interface InMemory {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOutItem[];
  readonly notes: readonly Remark[];
}

/** The same fold as in export-tree.ts, without a store. */
export function exportInMemory(
  format: string,
  items: Iterable<ExportItem>,
  options: Partial<ExportOptions> = {},
): InMemory {
  const exporter = exportFormatOf(format).start({ ...DEFAULT_OPTIONS, ...options });
  const files = new Map<string, string>();
  const leftOut: LeftOutItem[] = [];
  const notes: Remark[] = [];
  const take = ({ file, text }: { readonly file: string; readonly text: string }): void => {
    files.set(file, (files.get(file) ?? '') + text);
  };
  for (const item of items) {
    const added = exporter.add(item);
    if ('leftOut' in added) {
      leftOut.push({ id: item.id, ...added.leftOut });
      continue;
    }
    for (const piece of added.pieces) take(piece);
    notes.push(...(added.notes ?? []).map((message) => ({ id: item.id, message })));
  }
  for (const piece of exporter.end()) take(piece);
  return { files, leftOut, notes };
}

export async function writeTo(folder: string, { files }: InMemory): Promise<void> {
  for (const [file, text] of files) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
