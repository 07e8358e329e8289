/**
 * Which of many digests were seen before, and where first: eight bytes of each and a number, in flat arrays, so that a
 * million rows take 25 MB. Two different digests pass for one with a chance of 3 in 100 million at a million rows;
 * whoever acts on it compares the whole digests first.
 */
const EMPTY = 0xffff_ffff;
/** Fuller than this, and looking something up takes long. */
const LOAD = 0.6;

export class DigestTable {
  private keys = new BigUint64Array(1024);
  private values = new Uint32Array(1024).fill(EMPTY);
  private count = 0;

  /** The number that this digest (hexadecimal, 16 digits at least) was first seen with; remembers it with `number`. */
  firstSeen(digest: string, number: number): number {
    if (this.count >= this.keys.length * LOAD) this.grow();
    const key = BigInt(`0x${digest.slice(0, 16)}`);
    const slot = this.slotOf(key);
    const found = this.values[slot] as number;
    if (found !== EMPTY) return found;
    this.put(slot, key, number);
    this.count += 1;
    return number;
  }

  private slotOf(key: bigint): number {
    const mask = this.keys.length - 1;
    let slot = Number(key & 0xffff_ffffn) & mask;
    while (this.values[slot] !== EMPTY && this.keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  private put(slot: number, key: bigint, number: number): void {
    this.keys[slot] = key;
    this.values[slot] = number;
  }

  private grow(): void {
    const { keys, values } = this;
    this.keys = new BigUint64Array(keys.length * 2);
    this.values = new Uint32Array(values.length * 2).fill(EMPTY);
    values.forEach((number, slot) => {
      const key = keys[slot] as bigint;
      if (number !== EMPTY) this.put(this.slotOf(key), key, number);
    });
  }
}
