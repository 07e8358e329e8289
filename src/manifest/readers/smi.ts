/**
 * SMILES files: one SMILES per line, followed by a space or tab and its name (Daylight, OpenSMILES 4.5). Lines that
 * begin with `#` are comments; a first line whose first column is called SMILES is a header, as RDKit and ZINC write
 * it.
 */
import type { RawRow, ReadFrom, RowReader } from '../raw-row.ts';
import { linesOf, type TextLine } from './lines.ts';

const HEADER = /^(canonical_?|isomeric_?)?smiles(\s|$)/i;

export const readSmi: RowReader = async function* (text, from) {
  const lines = new SmiLines(from);
  for await (const some of linesOf(text)) yield some.flatMap((line) => lines.read(line));
};

class SmiLines {
  readonly #stem: string;
  #records = 0;
  #mayBeHeader = true;

  constructor({ stem }: ReadFrom) {
    this.#stem = stem;
  }

  read({ text, number }: TextLine): RawRow[] {
    const content = text.trim();
    if (content === '' || content.startsWith('#')) return [];
    const isHeader = this.#mayBeHeader && HEADER.test(content);
    this.#mayBeHeader = false;
    if (isHeader) return [];
    this.#records += 1;
    const [, smiles = content, name = ''] = /^(\S+)\s+(.*)$/s.exec(content) ?? [];
    const cells = name === '' ? { smiles } : { smiles, name };
    // Tables with more columns begin with these two.
    const called = name.split('\t')[0] ?? '';
    const nameHint = called === '' ? `${this.#stem}-${String(this.#records)}` : called;
    return [{ line: number, cells, complaints: [], nameHint }];
  }
}
