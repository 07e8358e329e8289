/**
 * Which of many digests were seen before, and where first: eight bytes of each and a number, in flat arrays, so that a
 * million rows take 25 MB. Two different digests pass for one with a chance of 3 in 100 million at a million rows;
 * whoever acts on it compares the whole digests first.
 */
const EMPTY = 0xffff_ffff;
/** Fuller than this, and looking something up takes long. */
const LOAD = 0.6;
const FIRST_SIZE = 1024;

export class DigestTable {
  private upper = new Uint32Array(FIRST_SIZE);
  private lower = new Uint32Array(FIRST_SIZE);
  private numbers = new Uint32Array(FIRST_SIZE).fill(EMPTY);
  private count = 0;

  /** The number that this digest (hexadecimal, 16 digits at least) was first seen with; remembers it with `number`. */
  firstSeen(digest: string, number: number): number {
    if (this.count >= this.numbers.length * LOAD) this.grow();
    const upper = parseInt(digest.slice(0, 8), 16);
    const lower = parseInt(digest.slice(8, 16), 16);
    const slot = this.slotOf(upper, lower);
    const found = this.numbers[slot] as number;
    if (found !== EMPTY) return found;
    this.put(slot, upper, lower, number);
    this.count += 1;
    return number;
  }

  /** Of this digest, or the free one that it would take. */
  private slotOf(upper: number, lower: number): number {
    const mask = this.numbers.length - 1;
    let slot = lower & mask;
    while (
      this.numbers[slot] !== EMPTY &&
      (this.upper[slot] !== upper || this.lower[slot] !== lower)
    ) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private put(slot: number, upper: number, lower: number, number: number): void {
    this.upper[slot] = upper;
    this.lower[slot] = lower;
    this.numbers[slot] = number;
  }

  private grow(): void {
    const { upper, lower, numbers } = this;
    const size = numbers.length * 2;
    this.upper = new Uint32Array(size);
    this.lower = new Uint32Array(size);
    this.numbers = new Uint32Array(size).fill(EMPTY);
    for (const [slot, number] of numbers.entries()) {
      if (number === EMPTY) continue;
      const high = upper[slot] as number;
      const low = lower[slot] as number;
      this.put(this.slotOf(high, low), high, low, number);
    }
  }
}
