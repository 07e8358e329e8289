/**
 * Many entries of a few 32-bit words each, found by their first word, which must be a hash: an array of objects or a
 * map would take ten times the memory at a million rows.
 *
 * The index is a linear hash table (Litwin, "Linear hashing: a new tool for file and table addressing", VLDB 1980): it
 * grows bucket by bucket and is never copied. A table that doubles needs the old and the new index together, and their
 * memory is not returned to the system. Entries of a bucket are linked: an entry takes 4 bytes for its link, and
 * `4 / LOAD` for its share of the buckets.
 */

/** Words are written into blocks that never move. */
const BLOCK_BITS = 15;
const BLOCK = 1 << BLOCK_BITS;
/** Entries of a bucket, on average: with more, searches are slower. */
const LOAD = 3;

export class EntryTable {
  /** Words of an entry, and the number of the next one in its bucket; 0 is the last. */
  readonly #size: number;
  readonly #blocks: Uint32Array[] = [];
  #count = 0;
  #indexed = 0;
  /** The number of the first entry of each bucket; 0 is an empty bucket. */
  readonly #buckets: Uint32Array[] = [new Uint32Array(BLOCK)];
  /** A power of two. Buckets from 0 to `#split` are split: their entries use one more bit of the hash. */
  #unsplit = 1;
  #split = 0;

  constructor(size: number) {
    this.#size = size + 1;
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

  /** The first entry that may have this first word; 0 if there is none. Others with it follow by `after`. */
  first(word: number): number {
    return this.#head(this.#bucketOf(word));
  }

  after(number: number): number {
    return this.word(number, this.#size - 1);
  }

  /** From now on, searches find the entry. Its first word no longer changes. */
  index(number: number): void {
    this.#link(number, this.#bucketOf(this.word(number, 0)));
    this.#indexed += 1;
    if (this.#indexed > (this.#unsplit + this.#split) * LOAD) this.#splitOne();
  }

  #bucketOf(word: number): number {
    const bucket = word & (this.#unsplit - 1);
    return bucket < this.#split ? word & (2 * this.#unsplit - 1) : bucket;
  }

  #head(bucket: number): number {
    return (this.#buckets[bucket >>> BLOCK_BITS] as Uint32Array)[bucket & (BLOCK - 1)] as number;
  }

  #setHead(bucket: number, number: number): void {
    (this.#buckets[bucket >>> BLOCK_BITS] as Uint32Array)[bucket & (BLOCK - 1)] = number;
  }

  #link(number: number, bucket: number): void {
    this.write(number, this.#size - 1, this.#head(bucket));
    this.#setHead(bucket, number);
  }

  /** Divides the entries of one bucket between it and a new one. */
  #splitOne(): void {
    const bucket = this.#split;
    const added = this.#unsplit + this.#split;
    if (added % BLOCK === 0) this.#buckets.push(new Uint32Array(BLOCK));
    let number = this.#head(bucket);
    this.#setHead(bucket, 0);
    while (number !== 0) {
      const next = this.after(number);
      this.#link(number, (this.word(number, 0) & this.#unsplit) === 0 ? bucket : added);
      number = next;
    }
    this.#split += 1;
    if (this.#split < this.#unsplit) return;
    this.#unsplit *= 2;
    this.#split = 0;
  }
}
