/**
 * Many entries of a few 32-bit words each, indexed by their first word: an array of objects or a map would take ten
 * times the memory at a million rows.
 */

/** Entries are written into blocks that never move, so only the index is copied when the table grows. */
const BLOCK_BITS = 15;
const BLOCK = 1 << BLOCK_BITS;
/** A fuller index makes searches slow. */
const LOAD = 0.7;
const FIRST_SLOTS = 1_021;

export class EntryTable {
  /** Words of an entry. */
  readonly #size: number;
  readonly #blocks: Uint32Array[] = [];
  #count = 0;
  #indexed = 0;
  /** Slot → number of the entry, from 1; 0 is a free slot. Open addressing: a search ends at the first free slot. */
  #slots = new Uint32Array(FIRST_SLOTS);

  constructor(size: number) {
    this.#size = size;
  }

  /** Adds an entry at the end, with all words 0; returns its number, from 1. No search finds it before `index`. */
  append(): number {
    if (this.#count % BLOCK === 0) this.#blocks.push(new Uint32Array(BLOCK * this.#size));
    this.#count += 1;
    return this.#count;
  }

  word(number: number, word: number): number {
    const block = this.#blocks[(number - 1) >>> BLOCK_BITS] as Uint32Array;
    return block[((number - 1) & (BLOCK - 1)) * this.#size + word] as number;
  }

  write(number: number, word: number, value: number): void {
    const block = this.#blocks[(number - 1) >>> BLOCK_BITS] as Uint32Array;
    block[((number - 1) & (BLOCK - 1)) * this.#size + word] = value;
  }

  /** The slot at which a search for this first word starts. */
  firstSlot(word: number): number {
    // By multiplication, not modulo: division is slow for numbers beyond 31 bits.
    return Math.floor(word * 2 ** -32 * this.#slots.length);
  }

  slotAfter(slot: number): number {
    return slot + 1 === this.#slots.length ? 0 : slot + 1;
  }

  /** The number of the entry in this slot; 0 if it is free. */
  at(slot: number): number {
    return this.#slots[slot] as number;
  }

  /** Puts an entry into the free slot at which a search for its first word ended. */
  index(slot: number, number: number): void {
    this.#slots[slot] = number;
    this.#indexed += 1;
    if (this.#indexed > this.#slots.length * LOAD) this.#grow();
  }

  /** Grows by only half: the old and the new index are in memory together. */
  #grow(): void {
    const entries = this.#slots;
    this.#slots = new Uint32Array(Math.ceil(entries.length * 1.5) | 1);
    for (const number of entries) {
      if (number === 0) continue;
      let slot = this.firstSlot(this.word(number, 0));
      while (this.at(slot) !== 0) slot = this.slotAfter(slot);
      this.#slots[slot] = number;
    }
  }
}
