/**
 * The submissions of one service that were granted and are not yet written: they wait for a free connection, or for
 * their turn in the worker. When one fails in a way that says that the service is not well, all that were granted
 * before that are sent back: their fate is known, and an outage meets a handful of submissions instead of a hundred.
 */
import type { HttpAnswer } from './http-answer.ts';

/** Code of a submission that was sent back. */
const UNWELL = 'UNWELL';

class SentBack extends Error {
  readonly code = UNWELL;
}

export class SubmissionLine {
  private readonly under = new Set<AbortController>();
  /** When the service was last found unwell (ms since the epoch). */
  private unwellAt = 0;

  /**
   * Lets one submission through; its signal tells it to go back, should not a byte of it be written.
   * @param grantedAt when it was decided that it may be sent (ms since the epoch)
   */
  async pass(
    grantedAt: number,
    send: (sentBack: AbortSignal) => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    const own = new AbortController();
    if (grantedAt < this.unwellAt) own.abort(new SentBack());
    this.under.add(own);
    try {
      const answer = await send(own.signal);
      if (showsUnwell(answer)) this.sendBack();
      return answer;
    } finally {
      this.under.delete(own);
    }
  }

  private sendBack(): void {
    this.unwellAt = Date.now();
    for (const waiting of this.under) waiting.abort(new SentBack());
  }
}

function showsUnwell(answer: HttpAnswer): boolean {
  if (answer.type === 'answered') return answer.status >= 500 || answer.status === 429;
  // Broken off by ourselves, it says nothing about the service.
  return answer.code !== 'ABORTED' && answer.code !== UNWELL;
}
