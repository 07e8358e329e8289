/**
 * Folders of a tree that were checked a moment ago not to be links. The files of an item are read and written one after
 * the other: their parent folders are not checked again for each. A link that replaces such a folder in between may be
 * followed, as it might be between the check and the read.
 *
 * Only reads rely on this. Before a write, every folder is checked: otherwise a write could follow a link that replaced
 * a folder within that second.
 */
const LOOK_HOLDS_MS = 1_000;
const LOOKS_KEPT = 1_000;

export class Looks {
  /** By path; in ms of the process clock. */
  readonly #at = new Map<string, number>();

  /** Whether this folder existed and was not a link within the last second. */
  hold(folder: string): boolean {
    return performance.now() - (this.#at.get(folder) ?? -Infinity) < LOOK_HOLDS_MS;
  }

  /** @param at when the check began, in ms of the process clock */
  note(folder: string, at: number): void {
    if (this.#at.size >= LOOKS_KEPT) this.#at.clear();
    this.#at.set(folder, at);
  }
}
