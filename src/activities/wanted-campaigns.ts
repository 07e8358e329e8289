/** Shares the check whether a campaign still waits for jobs, among rows that are sent at about the same time. */

/**
 * Rows of one campaign that are sent at about the same time share an answer this old (ms): the call costs both sides
 * as much as the submission itself. A submission may be in progress for as long when a campaign is cancelled.
 */
const SHARED_MS = 100;
/** More campaigns than submit at a time. */
const KEPT = 100;

interface Known {
  readonly askedAt: number;
  readonly wanted: Promise<boolean>;
}

/** The answers about campaigns; one for each worker. */
export class WantedCampaigns {
  readonly #answers = new Map<string, Known>();

  /** From `ask`, or from another recent call. An error is not shared with later calls. */
  async find(key: string, ask: () => Promise<boolean>): Promise<boolean> {
    const now = performance.now();
    const known = this.#answers.get(key);
    if (known && now - known.askedAt < SHARED_MS) return known.wanted;
    if (this.#answers.size >= KEPT) this.#answers.clear();
    const wanted = ask();
    this.#answers.set(key, { askedAt: now, wanted });
    wanted.catch(() => this.#answers.delete(key));
    return wanted;
  }
}
