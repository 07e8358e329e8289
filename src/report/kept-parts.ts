/**
 * What was made of the results of some items, kept in the tree until the publication has ended. A publication that was
 * broken off, by kill -9 as well, makes only the part anew that it was at: the others are read.
 *
 * A part is known by the digest of all that it was made from, the records of its items with the digests of their files
 * above all. So a part that does not fit any more is never taken; it goes away with the others at the end.
 */
import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { PUBLISHING } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { Listed } from './campaign-items.ts';
import type { ResultParts } from './result-parts.ts';
import type { OwnColumnsByKind } from './tables/result-rows.ts';

/** Another number for another form of what is kept. */
const FORM = 2;

export interface PartsKeeper {
  /** What makes the parts: version of the program and of Node. */
  readonly program: string;
  /** Items of a part at most. */
  readonly mostItems: number;
  /** Null when this part was not kept, or cannot be read. */
  read(key: string): Promise<readonly ResultParts[] | null>;
  /** A full disk must not keep a publication from ending: what was not kept is made again. */
  keep(key: string, parts: readonly ResultParts[]): Promise<void>;
  /** The publication has ended. */
  removeAll(): Promise<void>;
}

export function partsKeeper(
  store: Store,
  { program, mostItems }: Pick<PartsKeeper, 'program' | 'mostItems'>,
): PartsKeeper {
  return {
    program,
    mostItems,
    async read(key) {
      const bytes = await store.read(key);
      if (bytes === null) return null;
      try {
        return deserialize(bytes) as readonly ResultParts[];
      } catch {
        return null;
      }
    },
    async keep(key, parts) {
      try {
        await store.write(key, serialize(parts));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    },
    async removeAll() {
      for await (const key of store.list(PUBLISHING)) await store.remove(key);
    },
  };
}

/** The key of a part of these items. `program`: what makes it; another one may make other parts of the same results. */
export function keyOfPart(
  items: readonly Listed[],
  own: OwnColumnsByKind,
  program: string,
): string {
  const columns = Object.entries(own).map(([kind, names]) => [kind, [...names]]);
  const hash = createHash('sha256').update(JSON.stringify([FORM, program, columns]));
  for (const item of items) hash.update(`${JSON.stringify(item)}\n`);
  return `${PUBLISHING}${hash.digest('hex')}`;
}
