/**
 * Which ids are taken and where, in 16 bytes an id and about 9 of index: a million names as texts would cost 300 MB.
 *
 * An id is known by 64 bits of it without regard to case, and 32 more of it as written. Among a million ids the odds
 * that two different ones pass for the same are 1 in 10^17, among a hundred million 1 in 10^13; for a mere difference
 * in case, which is only warned of, 1 in 10^7 and 1 in 10^3.
 */
import { randomInt } from 'node:crypto';

export interface Place {
  /** As the user named it. */
  readonly file: string;
  readonly line: number;
}

/** Entries are written into blocks that never move, so that growing copies the index alone. */
const BLOCK_BITS = 15;
const BLOCK = 1 << BLOCK_BITS;
/** Words of an entry: two of the id whatever its case, one of the id as written, one for the place. */
const WORDS = 4;

const NOWHERE = { file: '', before: 0 };

export class IdTable {
  readonly #blocks: Uint32Array[] = [];
  #count = 0;
  /** Slot → number of the entry, from 1; open addressing. */
  #slots = new Uint32Array(1 << 12);
  /** Lines are counted through all files, so that a place is one number; `before` are those of the files before. */
  readonly #files: { readonly file: string; readonly before: number }[] = [];
  #lines = 0;
  /** So that nobody can write a manifest whose ids all want one slot. */
  readonly #seed = randomInt(2 ** 32);
  // The digest of the id that was looked for last, and the free slot at which the search ended.
  #low = 0;
  #high = 0;
  #written = 0;
  #slot = 0;

  /** The first use of this id: the `same`, or one that differs in upper and lower case only; null when it is free. */
  find(id: string): { readonly place: Place; readonly same: boolean } | null {
    this.#digest(id);
    const mask = this.#slots.length - 1;
    let otherCase = 0;
    let slot = this.#low & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? 0;
      if (this.#word(number, 0) !== this.#low || this.#word(number, 1) !== this.#high) continue;
      if (this.#word(number, 2) === this.#written) return this.#use(number, true);
      otherCase ||= number;
    }
    this.#slot = slot;
    return otherCase === 0 ? null : this.#use(otherCase, false);
  }

  /** Takes the id that `find` was last asked for. */
  add({ file, line }: Place): void {
    if (this.#files.at(-1)?.file !== file) this.#files.push({ file, before: this.#lines });
    const place = (this.#files.at(-1)?.before ?? 0) + line;
    this.#lines = Math.max(this.#lines, place);
    if (this.#count % BLOCK === 0) this.#blocks.push(new Uint32Array(BLOCK * WORDS));
    const block = this.#blocks.at(-1) ?? new Uint32Array();
    const at = (this.#count % BLOCK) * WORDS;
    block[at] = this.#low;
    block[at + 1] = this.#high;
    block[at + 2] = this.#written;
    block[at + 3] = place;
    this.#count += 1;
    this.#slots[this.#slot] = this.#count;
    if (this.#count > this.#slots.length * 0.6) this.#grow();
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 1; number <= this.#count; number += 1) {
      let slot = this.#word(number, 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }

  #word(number: number, word: number): number {
    const block = this.#blocks[(number - 1) >>> BLOCK_BITS];
    return block?.[((number - 1) & (BLOCK - 1)) * WORDS + word] ?? 0;
  }

  #use(number: number, same: boolean): { place: Place; same: boolean } {
    const place = this.#word(number, 3);
    const { file, before } = this.#files.findLast((one) => one.before < place) ?? NOWHERE;
    return { place: { file, line: place - before }, same };
  }

  /** Two lanes and the finish of cyrb53 (bryc, public domain), and a third lane that sees the case. */
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
