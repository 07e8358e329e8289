/** The bag of a tree (RFC 8493, BagIt 1.0): its tag files as text, and the digests of its payload. Pure. */
import { hash } from 'node:crypto';
import type { FileDigest } from '../../store/digest.ts';

export const BAG_DECLARATION = 'bagit.txt';
export const BAG_INFO = 'bag-info.txt';
export const MANIFEST = 'manifest-sha256.txt';
export const TAG_MANIFEST = 'tagmanifest-sha256.txt';
/** The folder of the payload. */
export const PAYLOAD = 'data/';

export const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';

/** Collects the files of a bag, in the order in which they are added. */
export class Bag {
  readonly #payload: string[] = [];
  readonly #tags: string[] = [];
  #bytes = 0;

  /** @param key in the tree */
  addPayload(key: string, { bytes, sha256 }: FileDigest): void {
    this.#payload.push(line(sha256, `${PAYLOAD}${key}`));
    this.#bytes += bytes;
  }

  /** @returns the text, to be stored in the bag */
  addTag(name: string, text: string): string {
    this.#tags.push(line(hash('sha256', text), name));
    return text;
  }

  get files(): number {
    return this.#payload.length;
  }

  /** Of the payload. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param facts more lines, by their labels */
  info(facts: Readonly<Record<string, string>>): string {
    const all = { ...facts, 'Payload-Oxum': `${this.#bytes}.${this.#payload.length}` };
    return Object.entries(all)
      .map(([label, value]) => `${label}: ${value.replace(/\s+/g, ' ')}\n`)
      .join('');
  }

  get manifest(): string {
    return this.#payload.join('');
  }

  get tagManifest(): string {
    return this.#tags.join('');
  }
}

/** Line ends and percent signs in a path are encoded as in RFC 8493 (2.1.3). */
function line(sha256: string, path: string): string {
  const written = path.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('\r', '%0D');
  return `${sha256}  ${written}\n`;
}
