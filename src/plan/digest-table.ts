/**
 * Which of many digests were seen before, and where first: eight bytes of each and some seven of index, so that a million
 * rows take 15 MB. Two different digests pass for one with a chance of 3 in 100 million at a million rows; whoever acts
 * on it compares the whole digests first.
 */

/** Entries are written into blocks that never move, so that growing copies the index alone. */
const BLOCK_BITS = 15;
const BLOCK = 1 << BLOCK_BITS;
/** Fuller than this, and looking something up takes long. */
const LOAD = 0.7;
const FIRST_SLOTS = 1_021;

export class DigestTable {
  /** Two words each, in the order of the rows. */
  private readonly blocks: Uint32Array[] = [];
  private count = 0;
  private distinct = 0;
  /** Number of the entry, from 1, by its lower word; open addressing. */
  private slots = new Uint32Array(FIRST_SLOTS);

  /** Takes the digest (hexadecimal, 16 digits at least) of the next row; returns the first row that had it. */
  add(digest: string): number {
    const row = this.count;
    const upper = parseInt(digest.slice(0, 8), 16);
    const lower = parseInt(digest.slice(8, 16), 16);
    this.append(upper, lower);
    const slot = this.slotOf(upper, lower);
    const found = this.slots[slot] as number;
    if (found !== 0) return found - 1;
    this.slots[slot] = row + 1;
    this.distinct += 1;
    if (this.distinct > this.slots.length * LOAD) this.grow();
    return row;
  }

  private append(upper: number, lower: number): void {
    if (this.count % BLOCK === 0) this.blocks.push(new Uint32Array(2 * BLOCK));
    const block = this.blocks.at(-1) as Uint32Array;
    const at = 2 * (this.count % BLOCK);
    block[at] = upper;
    block[at + 1] = lower;
    this.count += 1;
  }

  /** Where this digest stands, or the free slot that it would take. */
  private slotOf(upper: number, lower: number): number {
    const { slots } = this;
    // A share of the slots, not a remainder: numbers beyond 31 bits are slow to divide.
    let slot = Math.floor(lower * 2 ** -32 * slots.length);
    for (let entry = slots[slot] as number; entry !== 0; entry = slots[slot] as number) {
      if (this.word(entry, 1) === lower && this.word(entry, 0) === upper) break;
      slot = slot + 1 === slots.length ? 0 : slot + 1;
    }
    return slot;
  }

  private word(entry: number, word: 0 | 1): number {
    const block = this.blocks[(entry - 1) >>> BLOCK_BITS] as Uint32Array;
    return block[2 * ((entry - 1) & (BLOCK - 1)) + word] as number;
  }

  /** By half only: what is copied and what is copied from lie in memory together. */
  private grow(): void {
    const entries = this.slots;
    this.slots = new Uint32Array(Math.ceil(entries.length * 1.5) | 1);
    for (const entry of entries) {
      if (entry !== 0) this.slots[this.slotOf(this.word(entry, 0), this.word(entry, 1))] = entry;
    }
  }
}
