/** Reads an item of the tree with everything that a format needs. Every file is compared with its recorded digest. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { errnoOf } from '../domain/errno.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import { filesNamed, filesToRead, readResult } from '../report/read-result.ts';
import { digestOf, type FileDigest } from '../store/digest.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import type {
  BondedMolecule,
  ExportFormat,
  ExportItem,
  ExportOptions,
  ResultReading,
} from './format.ts';
import { type LeftOut, whyLeftOut } from './left-out.ts';
import { bondedMolecule } from './molecules.ts';

interface Reading {
  readonly store: Store;
  readonly format: Pick<ExportFormat, 'files' | 'takes'>;
  readonly options: Pick<ExportOptions, 'structureColumn'>;
  /** Base folder of the paths of structure files; the default is the manifest's. */
  readonly structures?: string | undefined;
}

/** @throws StoreError except for a damaged file */
export async function readExportItem(
  { store, format, options, structures }: Reading,
  record: ItemRecord,
): Promise<ExportItem | LeftOut> {
  const { id, kind } = record;
  const { takes } = format;
  const readRecordedFile = (name: string) =>
    readRecorded(store, itemKey(kind, id, name), record.files[name]);
  const files: Record<string, string> = {};
  for (const ending of format.files) {
    const [name] = filesNamed(record, ending);
    if (name === undefined) return whyLeftOut('FILE_MISSING', { ending });
    const read = await readRecordedFile(name);
    if (typeof read !== 'string') return read;
    files[ending] = read;
  }
  // Every format looks at the result.
  const texts = new Map<string, string>();
  for (const name of filesToRead(record)) {
    const text = await readRecordedFile(name);
    if (typeof text !== 'string') return text;
    texts.set(name, text);
  }
  const reading = readResult(record, texts) as ResultReading | null;
  if (reading === null) return whyLeftOut('RESULT_UNREADABLE', { lack: 'no reading' });
  const molecule =
    takes.includes('bonds') && reading.kind === 'molecule'
      ? await readBonds(store, record, reading)
      : null;
  if (molecule !== null && 'code' in molecule) return molecule;
  const structure = takes.includes('structure')
    ? await readStructure(record, options.structureColumn, structures)
    : null;
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
  if (digestOf(bytes).sha256 !== recorded?.sha256) return whyLeftOut('FILE_DAMAGED', { key });
  return new TextDecoder().decode(bytes);
}

/** UniProt accession numbers. */
const ACCESSION = /^(?:[OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})$/;

/**
 * The structure file named in a column of the manifest.
 * @param base of its path; default: the folder of the item's manifest
 */
export async function readStructure(
  { user, source }: Pick<ItemRecord, 'user' | 'source'>,
  column: string,
  base = dirname(source.file),
): Promise<NonNullable<ExportItem['structure']> | LeftOut> {
  const name = (user[column] ?? '').trim();
  if (name === '') return whyLeftOut('STRUCTURE_UNNAMED', { column });
  const folder = resolve(base);
  const path = resolve(folder, name);
  const inside = relative(folder, path);
  // A manifest may come from another user: it must not open files outside its folder.
  if (inside.startsWith('..') || isAbsolute(inside))
    return whyLeftOut('STRUCTURE_OUTSIDE', { name, folder });
  try {
    return { name, text: await readFile(path, 'utf8') };
  } catch (error) {
    const reason = errnoOf(error) ?? String(error);
    const accession = ACCESSION.test(name) ? name : null;
    return whyLeftOut('STRUCTURE_UNREADABLE', { path, reason, accession });
  }
}
