/**
 * Finds repeated digests and where they were first seen: eight bytes of each and about five of index, so that a
 * million rows take 13 MB. At a million rows, the chance that two different digests are taken for one is 3 in 100
 * million; callers compare the whole digests before they act on it.
 */
import { EntryTable } from '../manifest/entry-table.ts';

export class DigestTable {
  /** Two words each, in row order. */
  readonly #entries = new EntryTable(2);

  /** Adds the digest (hexadecimal, at least 16 digits) of the next row; returns the first row that had it. */
  add(digest: string): number {
    const entries = this.#entries;
    const upper = parseInt(digest.slice(0, 8), 16);
    const lower = parseInt(digest.slice(8, 16), 16);
    const number = entries.append();
    entries.write(number, 0, lower);
    entries.write(number, 1, upper);
    for (let found = entries.first(lower); found !== 0; found = entries.after(found)) {
      if (entries.word(found, 0) === lower && entries.word(found, 1) === upper) return found - 1;
    }
    entries.index(number);
    return number - 1;
  }
}
