/** Reads an item of the tree with everything that a format needs. Every file is compared with its recorded digest. */
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import type { ExportFormat, ExportItem, ResultReading } from './format.ts';
import { digestOf, type FileDigest } from '../store/digest.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { filesNamed, readResultBy } from '../report/read-result.ts';
import { itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { bondedMolecule, type BondedMolecule } from './bonded-molecule.ts';
import { type LeftOut, whyLeftOut } from './left-out.ts';
import type { StructureFolder } from './structure-folder.ts';

interface Reading {
  readonly store: Store;
  readonly format: ExportFormat;
  readonly structures: StructureFolder;
}

/** @throws StoreError except for a damaged file */
export async function readExportItem(
  { store, format, structures }: Reading,
  record: ItemRecord,
): Promise<ExportItem | LeftOut> {
  const { id, kind } = record;
  const takesBonds = format.takes.includes('bonds');
  const takesReading = takesBonds || format.takes.includes('reading');
  const readFile = (name: string) =>
    readRecorded(store, itemKey(kind, id, name), record.files[name]);
  const files: Record<string, string> = {};
  for (const ending of format.files) {
    const [name] = filesNamed(record, ending);
    if (name === undefined) return whyLeftOut('FILE_MISSING', { ending });
    const read = await readFile(name);
    if (typeof read !== 'string') return read;
    files[ending] = read;
  }
  const reading = takesReading
    ? ((await readResultBy(record, readFile)) as ResultReading | LeftOut | null)
    : null;
  if (reading !== null && 'code' in reading) return reading;
  if (takesReading && reading === null) {
    return whyLeftOut('RESULT_UNREADABLE', { lack: 'no reading' });
  }
  const molecule =
    takesBonds && reading?.kind === 'molecule' ? await readBonds(store, record, reading) : null;
  if (molecule !== null && 'code' in molecule) return molecule;
  const structure = format.structure === 'none' ? null : await structures.read(record);
  if (structure !== null && 'code' in structure) return structure;
  return { id, record, files, reading, molecule, structure };
}

async function readBonds(
  store: Store,
  { id, kind, input: { name, ...recorded }, adopted }: ItemRecord,
  reading: MoleculeReading,
): Promise<BondedMolecule | LeftOut> {
  if (adopted?.inputKnown === false) return bondedMolecule(reading, null);
  const text = await readRecorded(store, itemKey(kind, id, name), recorded);
  return typeof text === 'string' ? bondedMolecule(reading, { name, text }) : text;
}

async function readRecorded(
  store: Store,
  key: string,
  recorded: FileDigest | undefined,
): Promise<string | LeftOut> {
  const bytes = await store.read(key);
  if (bytes === null) return whyLeftOut('FILE_MISSING', { key });
  if (digestOf(bytes).sha256 !== recorded?.sha256) {
    return whyLeftOut('FILE_DAMAGED', { key });
  }
  return new TextDecoder().decode(bytes);
}
