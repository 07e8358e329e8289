/**
 * The folders that this process has opened. A worker opens the tree of a campaign for every step of every item: one
 * call checks that the path still leads to the same folder, instead of three that resolve it again.
 */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/** More than are in use at the same time. */
const KEPT = 100;

export class OpenedFolders<Store extends { readonly location: string }> {
  readonly #stores = new Map<string, Store>();

  /** The store of a folder that was opened before; null when it must be opened again for any reason. */
  async find(folder: string): Promise<Store | null> {
    const path = resolve(folder);
    const store = this.#stores.get(path);
    if (store === undefined) return null;
    if (await leadsTo(path, store.location)) return store;
    this.#stores.delete(path);
    return null;
  }

  keep(folder: string, store: Store): void {
    if (this.#stores.size >= KEPT) this.#stores.clear();
    this.#stores.set(resolve(folder), store);
  }
}

/** Whether the path is still a folder, and, if it contains links, still leads to this one. */
async function leadsTo(path: string, location: string): Promise<boolean> {
  try {
    // With a trailing slash it must be a folder.
    const found = await stat(`${path}/`);
    if (path === location) return true;
    const { dev, ino } = await stat(`${location}/`);
    return found.dev === dev && found.ino === ino;
  } catch {
    // The reason is reported when it is opened again.
    return false;
  }
}
