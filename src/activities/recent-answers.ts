/** Answers of the Temporal server that submissions at about the same time share. */

/** The call costs both sides as much as a submission itself, so an answer this old (ms) is shared. */
const SHARED_MS = 100;
/** More campaigns, or runs of budgets, than submit at a time. */
const MAX_KEPT = 100;

interface Recent<T> {
  readonly askedAt: number;
  readonly answer: Promise<T>;
}

export class RecentAnswers<T> {
  readonly #answers = new Map<string, Recent<T>>();

  /** From `ask`, or from another recent call. An error is not shared with later calls. */
  async find(key: string, ask: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const known = this.#answers.get(key);
    if (known && now - known.askedAt < SHARED_MS) return known.answer;
    if (this.#answers.size >= MAX_KEPT) this.#answers.clear();
    const answer = ask();
    this.#answers.set(key, { askedAt: now, answer });
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }
}
