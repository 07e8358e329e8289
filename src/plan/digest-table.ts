/**
 * Which of many digests were seen before, and where first: eight bytes of each and some seven of index, so that a million
 * rows take 15 MB. Two different digests pass for one with a chance of 3 in 100 million at a million rows; whoever acts
 * on it compares the whole digests first.
 */
import { EntryTable } from '../manifest/entry-table.ts';

export class DigestTable {
  /** Two words each, in the order of the rows. */
  readonly #entries = new EntryTable(2);

  /** Takes the digest (hexadecimal, 16 digits at least) of the next row; returns the first row that had it. */
  add(digest: string): number {
    const entries = this.#entries;
    const upper = parseInt(digest.slice(0, 8), 16);
    const lower = parseInt(digest.slice(8, 16), 16);
    const number = entries.append();
    entries.write(number, 0, lower);
    entries.write(number, 1, upper);
    let slot = entries.firstSlot(lower);
    for (let found = entries.at(slot); found !== 0; found = entries.at(slot)) {
      if (entries.word(found, 0) === lower && entries.word(found, 1) === upper) return found - 1;
      slot = entries.slotAfter(slot);
    }
    entries.index(slot, number);
    return number - 1;
  }
}
