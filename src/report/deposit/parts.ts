/**
 * The files of a bag, one by one: its declaration, the tree, and the tag files that describe them. Each file of the
 * tree is compared with SHA256SUMS while it is read, so the deposit is what was published.
 */
import { hash } from 'node:crypto';
import { codedError, type HundredfoldError } from '../../domain/errors.ts';
import type { FileDigest } from '../../store/digest.ts';
import { CHECKSUMS, PUBLISHING, WORK_AREA } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { isTransferable, readChecksums } from '../../store/transfer.ts';
import {
  BAG_DECLARATION,
  BAG_INFO,
  type Bag,
  DECLARATION,
  MANIFEST,
  PAYLOAD,
  TAG_MANIFEST,
} from './bag.ts';

export interface Deposit {
  /** The tree. */
  readonly store: Store;
  /** Name of the campaign, and of the folder in the archive. */
  readonly name: string;
  /** Lines of bag-info.txt, by their labels. */
  readonly facts: Readonly<Record<string, string>>;
  /** Files outside the payload, by name. */
  readonly tags: Readonly<Record<string, string>>;
  /** Of all entries: the same tree gives the same archive. */
  readonly modified: Date;
  /** Called after each file. */
  readonly onFile?: (done: { readonly files: number; readonly bytes: number }) => void;
}

export interface Part {
  /** In the archive. */
  readonly path: string;
  /** The expected digest. */
  readonly sha256: string;
  /** Reads lazily. */
  data(): AsyncIterable<Uint8Array>;
  /**
   * Called once, with the digest of what was put into the archive. Throws `DEPOSIT_NOT_WHOLE` if it is not the expected
   * one.
   */
  taken(digest: FileDigest): void;
}

/** Each part is made after the previous one was taken: the last ones describe all others. */
export async function* partsOf(deposit: Deposit, bag: Bag): AsyncGenerator<Part, void, undefined> {
  const { store, name, facts, tags, onFile } = deposit;
  const text = (path: string, content: string): Part => textPart(`${name}/${path}`, content);
  yield text(BAG_DECLARATION, bag.addTag(BAG_DECLARATION, DECLARATION));
  const published = new Map(await readChecksums(store));
  for await (const key of store.list('')) {
    if (!isTransferable(key) || key.startsWith(PUBLISHING)) continue;
    const sha256 = published.get(key) ?? (await unpublishedDigest(store, key));
    published.delete(key);
    yield {
      path: `${name}/${PAYLOAD}${key}`,
      sha256,
      data: () => store.readStream(key),
      taken: (digest) => {
        if (digest.sha256 !== sha256) throw changed(key);
        bag.addPayload(key, digest);
        onFile?.(bag);
      },
    };
  }
  for (const key of published.keys()) throw notWhole(`${key} is missing`);
  for (const [path, content] of Object.entries(tags)) yield text(path, bag.addTag(path, content));
  yield text(BAG_INFO, bag.addTag(BAG_INFO, bag.info(facts)));
  yield text(MANIFEST, bag.addTag(MANIFEST, bag.manifest));
  yield text(TAG_MANIFEST, bag.tagManifest);
}

/** For the few files that the checksums do not list: an earlier run may have an outdated version of them. */
async function unpublishedDigest(store: Store, key: string): Promise<string> {
  if (key !== CHECKSUMS && !key.startsWith(WORK_AREA)) throw unlisted(key);
  const digest = await store.digest(key);
  if (digest === null) throw changed(key);
  return digest.sha256;
}

function textPart(path: string, content: string): Part {
  const bytes = Buffer.from(content);
  return {
    path,
    sha256: hash('sha256', bytes),
    data: async function* () {
      yield await Promise.resolve(bytes);
    },
    taken: () => undefined,
  };
}

function changed(key: string): HundredfoldError {
  return notWhole(`${key} is not what was published`);
}

function unlisted(key: string): HundredfoldError {
  return notWhole(`${key} is not in ${CHECKSUMS}`);
}

function notWhole(words: string): HundredfoldError {
  return codedError('DEPOSIT_NOT_WHOLE', { difference: words });
}
