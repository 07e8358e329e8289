/** The structure files named in a column of the manifest: paths relative to the manifest's folder, or to another. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { errnoOf } from '../domain/errno.ts';
import type { ItemRecord } from '../store/item-record.ts';
import type { StructureFile } from './format.ts';
import { whyLeftOut, type LeftOut } from './left-out.ts';

/** UniProt accession numbers. */
const ACCESSION = /^(?:[OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})$/;

export class StructureFolder {
  readonly #column: string;
  readonly #folder: string | undefined;

  /** @param folder base of the paths; the default is the folder of each item's manifest */
  constructor(column: string, folder: string | undefined) {
    this.#column = column;
    this.#folder = folder;
  }

  async read({
    user,
    source,
  }: Pick<ItemRecord, 'user' | 'source'>): Promise<StructureFile | LeftOut> {
    const name = (user[this.#column] ?? '').trim();
    if (name === '') {
      return whyLeftOut('STRUCTURE_UNNAMED', { column: this.#column });
    }
    const folder = resolve(this.#folder ?? dirname(source.file));
    const path = resolve(folder, name);
    const inside = relative(folder, path);
    // A manifest may come from another user: it must not open files outside its folder.
    if (inside.startsWith('..') || isAbsolute(inside)) {
      return whyLeftOut('STRUCTURE_OUTSIDE', { name, folder });
    }
    try {
      return { name, text: await readFile(path, 'utf8') };
    } catch (error) {
      const reason = errnoOf(error) ?? String(error);
      const accession = ACCESSION.test(name) ? name : null;
      return whyLeftOut('STRUCTURE_UNREADABLE', { path, reason, accession });
    }
  }
}
