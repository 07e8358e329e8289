/** Reads an item of the tree with everything that a format needs. Every file is compared with its recorded digest. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { readErrno } from '../domain/process.ts';
import { checkFiles } from '../report/audit.ts';
import { listFilesNamed, listFilesToRead, readResult } from '../report/read-result.ts';
import type { ItemRecord } from '../store/item-record.ts';
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
  const { id, input, adopted } = record;
  const named = (format.files ?? []).map((ending) => {
    const [name] = listFilesNamed(record, ending);
    if (name !== undefined) return [ending, name] as const;
    throw new LeftOut('FILE_MISSING', `its record lists no file that ends in ${ending}`);
  });
  const reads = [...named.map(([, name]) => name), ...listFilesToRead(record), input.name];
  const { faults, texts } = await checkFiles(store, record, reads);
  for (const { message, isMissing } of faults)
    throw new LeftOut(isMissing ? 'FILE_MISSING' : 'FILE_DAMAGED', message.replace(/\.$/, ''));
  const files = Object.fromEntries(named.map(([ending, name]) => [ending, texts.get(name) ?? '']));
  const reading = readResult(record, texts) as ResultReading | null;
  const item = { id, record, files, reading, molecule: null, structure: null };
  if (format.takes === 'structure')
    return { ...item, structure: await readStructure(record, options.structureColumn, structures) };
  if (format.takes !== 'bonds') return item;
  const text = texts.get(input.name) ?? '';
  const given = adopted?.inputKnown === false ? null : { name: input.name, text };
  return { ...item, molecule: await assignBonds(reading, given) };
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
