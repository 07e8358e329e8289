/** Reads an item of the tree with everything that a format needs. Every file is compared with its recorded digest. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { readErrno } from '../domain/process.ts';
import { listFilesNamed, listFilesToRead, readResult } from '../report/read-result.ts';
import { computeDigest, type FileDigest } from '../store/store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { buildItemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import {
  type ExportFormat,
  type ExportItem,
  type ExportOptions,
  LeftOut,
  type ResultReading,
} from './format.ts';
import { assignBonds } from './molecules.ts';

/** What an export reads from, and for which format. */
export interface ExportSource {
  readonly store: Store;
  readonly format: ExportFormat;
  readonly options: ExportOptions;
  /** Base folder of the paths of structure files; the default is the manifest's. */
  readonly structures?: string | undefined;
}

/** @throws LeftOut; StoreError except for a damaged file */
export async function readExportItem(
  { store, format, options, structures }: ExportSource,
  record: ItemRecord,
): Promise<ExportItem> {
  const { id, kind, input, adopted } = record;
  const read = (name: string, recorded: FileDigest | undefined) =>
    readRecorded(store, buildItemKey(kind, id, name), recorded);
  const files: Record<string, string> = {};
  for (const ending of format.files ?? []) {
    const [name] = listFilesNamed(record, ending);
    if (name === undefined)
      throw new LeftOut('FILE_MISSING', `its record lists no file that ends in ${ending}`);
    files[ending] = await read(name, record.files[name]);
  }
  // Every format looks at the result.
  const texts = new Map<string, string>();
  for (const name of listFilesToRead(record)) texts.set(name, await read(name, record.files[name]));
  const reading = readResult(record, texts) as ResultReading | null;
  const item = { id, record, files, reading, molecule: null, structure: null };
  if (format.takes === 'structure')
    return { ...item, structure: await readStructure(record, options.structureColumn, structures) };
  if (format.takes !== 'bonds') return item;
  const { name } = input;
  const given = adopted?.inputKnown === false ? null : { name, text: await read(name, input) };
  return { ...item, molecule: await assignBonds(reading, given) };
}

async function readRecorded(
  store: Store,
  key: string,
  recorded: FileDigest | undefined,
): Promise<string> {
  const bytes = await store.read(key);
  if (bytes === null) throw new LeftOut('FILE_MISSING', `${key} is missing`);
  if (computeDigest(bytes).sha256 !== recorded?.sha256)
    throw new LeftOut('FILE_DAMAGED', `${key} is not what was received`);
  return new TextDecoder().decode(bytes);
}

/** UniProt accession numbers. */
const ACCESSION = /^(?:[OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})$/;

/**
 * The structure file named in a column of the manifest.
 * @param base of its path; default: the folder of the item's manifest
 * @throws LeftOut
 */
export async function readStructure(
  { user, source }: Pick<ItemRecord, 'user' | 'source'>,
  column: string,
  base = dirname(source.file),
): Promise<NonNullable<ExportItem['structure']>> {
  const name = (user[column] ?? '').trim();
  if (name === '')
    throw new LeftOut(
      'STRUCTURE_UNNAMED',
      `its row names no structure file in the column ${column}`,
    );
  const folder = resolve(base);
  const path = resolve(folder, name);
  const inside = relative(folder, path);
  // A manifest may come from another user: it must not open files outside its folder.
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new LeftOut('STRUCTURE_OUTSIDE', `${name} is outside ${folder}`);
  try {
    return { name, text: await readFile(path, 'utf8') };
  } catch (error) {
    const advice = 'nothing is downloaded, save the model and name its file';
    const hint = ACCESSION.test(name) ? `; ${name} looks like a UniProt accession: ${advice}` : '';
    const why = `${path} cannot be read (${readErrno(error) ?? String(error)})${hint}`;
    throw new LeftOut('STRUCTURE_UNREADABLE', why);
  }
}
