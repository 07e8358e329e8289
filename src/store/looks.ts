/**
 * Folders of a tree that were seen to be no links a moment ago. The files of an item are read and written one after the
 * other: what lies above them is not looked at anew for each. A link that is put in place of such a folder just then may be
 * followed, as it might be between the look and the reading.
 *
 * Only reads rely on this. Before a write every folder is looked at: a write could otherwise follow a link that was
 * put in place of a folder within that second.
 */
const LOOK_HOLDS_MS = 1_000;
const LOOKS_KEPT = 1_000;

export class Looks {
  /** By path, ms of the process. */
  readonly #at = new Map<string, number>();

  /** Whether this folder was there, and no link, within the last second. */
  hold(folder: string): boolean {
    return performance.now() - (this.#at.get(folder) ?? -Infinity) < LOOK_HOLDS_MS;
  }

  /** @param at when the look began, ms of the process */
  note(folder: string, at: number): void {
    if (this.#at.size >= LOOKS_KEPT) this.#at.clear();
    this.#at.set(folder, at);
  }
}
