/**
 * The records of a ZIP file (APPNOTE 6.3.10), each as bytes. Entries are deflated and their lengths follow the data
 * (general purpose bit 3), so that an archive is written sequentially. ZIP64 if a number does not fit into its field.
 * Pure.
 *
 * Own code, because an interrupted archive can be continued. Rejected: yazl, archiver and fflate, which only write from
 * beginning to end; `@zip.js/zip.js`, Python's `zipfile` and `zip -g`, which only append to a finished archive;
 * `zip -FF`, which accepts whatever it finds.
 */

export interface ZipEntry {
  /** With `/` between folders. */
  readonly path: string;
  readonly crc32: number;
  /** Before compression, in bytes. */
  readonly size: number;
  readonly compressed: number;
  /** Offset of its local header in the archive, in bytes. */
  readonly at: number;
}

const DEFLATED = 8;
/** Lengths after the data (bit 3); names in UTF-8 (bit 11). */
const FLAGS = 0x0808;
const UNIX = 3 << 8;
const [VERSION, VERSION_ZIP64] = [20, 45];
/** A regular file, writable by its owner and readable by all. */
const ATTRIBUTES = 0o100644 * 2 ** 16;
const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;

export function localHeader(path: string, modified: Date): Buffer {
  const name = Buffer.from(path);
  const extra = timeExtra(modified);
  const record = new Fields()
    .u32(0x04034b50)
    .u16(VERSION, FLAGS, DEFLATED, ...dosTime(modified))
    .u32(0, 0, 0)
    .u16(name.length, extra.length).bytes;
  return Buffer.concat([record, name, extra]);
}

/** Follows the data of an entry. */
export function dataDescriptor({
  crc32,
  size,
  compressed,
}: Pick<ZipEntry, 'crc32' | 'size' | 'compressed'>): Buffer {
  const fields = new Fields().u32(0x08074b50, crc32);
  const isLarge = size >= FULL_32 || compressed >= FULL_32;
  return (isLarge ? fields.u64(compressed, size) : fields.u32(compressed, size)).bytes;
}

export function centralRecord(entry: ZipEntry, modified: Date): Buffer {
  const { path, crc32, size, compressed, at } = entry;
  const name = Buffer.from(path);
  const large = [size, compressed, at].filter((number) => number >= FULL_32);
  const zip64 = new Fields();
  if (large.length > 0) zip64.u16(0x0001, 8 * large.length).u64(...large);
  const extra = Buffer.concat([timeExtra(modified), zip64.bytes]);
  const version = large.length > 0 ? VERSION_ZIP64 : VERSION;
  const record = new Fields()
    .u32(0x02014b50)
    .u16(UNIX | VERSION_ZIP64, version, FLAGS, DEFLATED, ...dosTime(modified))
    .u32(crc32, fit(compressed), fit(size))
    .u16(name.length, extra.length, 0, 0, 0)
    .u32(ATTRIBUTES, fit(at)).bytes;
  return Buffer.concat([record, name, extra]);
}

/** @param directory offset and length of the central records, in bytes */
export function endOfDirectory(
  entries: number,
  directory: { readonly at: number; readonly bytes: number },
): Buffer {
  const { at, bytes } = directory;
  const end = new Fields();
  if (entries >= FULL_16 || at >= FULL_32 || bytes >= FULL_32) {
    end
      .u32(0x06064b50)
      .u64(44)
      .u16(UNIX | VERSION_ZIP64, VERSION_ZIP64)
      .u32(0, 0)
      .u64(entries, entries, bytes, at);
    end
      .u32(0x07064b50, 0)
      .u64(at + bytes)
      .u32(1);
  }
  const count = Math.min(entries, FULL_16);
  return end.u32(0x06054b50).u16(0, 0, count, count).u32(fit(bytes), fit(at)).u16(0).bytes;
}

/** The maximum value means that the number is in the ZIP64 record. */
function fit(number: number): number {
  return Math.min(number, FULL_32);
}

/** Seconds since the epoch, for programs that need more than DOS times (the Info-ZIP extra field UT). */
function timeExtra(modified: Date): Buffer {
  const time = new Fields().u32(Math.floor(modified.getTime() / 1_000)).bytes;
  return Buffer.concat([new Fields().u16(0x5455, 5).bytes, Buffer.of(1), time]);
}

/** Time and date in UTC: the archive is the same wherever it is made. */
function dosTime(date: Date): readonly [number, number] {
  const year = Math.max(0, date.getUTCFullYear() - 1980);
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  ];
}

/** Maximum bytes of all records; the largest are those at the end of an archive. */
const LONGEST = 128;

/** Consecutive numbers in little-endian order. */
class Fields {
  readonly #buffer = Buffer.alloc(LONGEST);
  #length = 0;

  u16(...numbers: readonly number[]): this {
    for (const number of numbers) this.#length = this.#buffer.writeUInt16LE(number, this.#length);
    return this;
  }

  u32(...numbers: readonly number[]): this {
    for (const number of numbers) this.#length = this.#buffer.writeUInt32LE(number, this.#length);
    return this;
  }

  u64(...numbers: readonly number[]): this {
    for (const number of numbers) {
      this.#length = this.#buffer.writeBigUInt64LE(BigInt(number), this.#length);
    }
    return this;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
