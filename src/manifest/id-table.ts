/**
 * Which ids are used and where, in 16 bytes per id and about 5 of index: a million names as text would take 300 MB.
 *
 * An id is identified by a 64-bit hash that ignores case, and 32 more bits of the exact text. Among a million ids, the
 * chance that two different ones collide is 1 in 10^17, among a hundred million 1 in 10^13; for a difference in case
 * only, which gives just a warning, 1 in 10^7 and 1 in 10^3.
 */
import { randomInt } from 'node:crypto';
import { EntryTable } from './entry-table.ts';

export interface RowPlace {
  /** As the user named it. */
  readonly file: string;
  readonly line: number;
}

/** Words of an entry: two hash the id without case, one the exact id, one is the place. */
const WORDS = 4;

const NOWHERE = { file: '', before: 0 };

export class IdTable {
  readonly #entries = new EntryTable(WORDS);
  /**
   * Lines are counted across all files, so that a place is one number; `before` is the number of lines in the previous
   * files.
   */
  readonly #files: { readonly file: string; readonly before: number }[] = [];
  #lines = 0;
  /** Random, so that a manifest cannot be made to have only colliding ids. */
  readonly #seed = randomInt(2 ** 32);
  // The digest of the last searched id.
  #low = 0;
  #high = 0;
  #written = 0;

  /** The first use of this id: the `same`, or one that differs only in case; null if it is free. */
  find(id: string): { readonly place: RowPlace; readonly same: boolean } | null {
    this.#digest(id);
    const entries = this.#entries;
    let otherCase = 0;
    for (let found = entries.first(this.#low); found !== 0; found = entries.after(found)) {
      if (entries.word(found, 0) !== this.#low || entries.word(found, 1) !== this.#high) continue;
      if (entries.word(found, 2) === this.#written) return this.#use(found, true);
      // The first of several uses.
      otherCase = otherCase === 0 ? found : Math.min(otherCase, found);
    }
    return otherCase === 0 ? null : this.#use(otherCase, false);
  }

  /** Adds the id of the last `find`. */
  add({ file, line }: RowPlace): void {
    if (this.#files.at(-1)?.file !== file) this.#files.push({ file, before: this.#lines });
    const place = (this.#files.at(-1)?.before ?? 0) + line;
    this.#lines = Math.max(this.#lines, place);
    const entries = this.#entries;
    const number = entries.append();
    entries.write(number, 0, this.#low);
    entries.write(number, 1, this.#high);
    entries.write(number, 2, this.#written);
    entries.write(number, 3, place);
    entries.index(number);
  }

  #use(number: number, same: boolean): { place: RowPlace; same: boolean } {
    const place = this.#entries.word(number, 3);
    const { file, before } = this.#files.findLast((one) => one.before < place) ?? NOWHERE;
    return { place: { file, line: place - before }, same };
  }

  /** Two lanes and the finish of cyrb53 (bryc, public domain), and a third lane that respects case. */
  #digest(id: string): void {
    let low = 0xdeadbeef ^ this.#seed;
    let high = 0x41c6ce57 ^ this.#seed;
    let written = 0x9e3779b9 ^ this.#seed;
    for (let at = 0; at < id.length; at += 1) {
      const code = id.charCodeAt(at);
      const folded = code >= 65 && code <= 90 ? code + 32 : code;
      low = Math.imul(low ^ folded, 2654435761);
      high = Math.imul(high ^ folded, 1597334677);
      written = Math.imul(written ^ code, 2246822519);
      written ^= written >>> 15;
    }
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    this.#low = low >>> 0;
    this.#high = high >>> 0;
    this.#written = written >>> 0;
  }
}
