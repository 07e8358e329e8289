/** How an item gets a job at the service: one that it has already, or a new one with a slot of the budget. */
import { condition, sleep, workflowInfo } from '@temporalio/workflow';
import { PATIENCE_MS } from '../domain/campaign.ts';
import { growingDelay } from '../domain/growing-delay.ts';
import { find, withToken } from './activity-options.ts';
import { askBudget, signalBudget } from './ask-budget.ts';
import { againSummary } from './details/summaries.ts';
import { Ended, type RefusedSubmission, type UnsureSubmission } from './item-end.ts';
import type { ItemProgress } from './item-progress.ts';
import { foundSignal, type ItemInput, type Submitted } from './messages.ts';
import { postTimes } from './post-times.ts';
import type { Found, RemoteJob } from './activity-types.ts';
import type { SubmitResult } from './submit-types.ts';

/** Between submissions of one item whose fate is unknown each time. */
const LONGEST_BETWEEN_MS = 5 * 60_000;

export class ItemSubmission {
  readonly #input: ItemInput;
  readonly #progress: ItemProgress;
  /** Submissions requested. The campaign requests the first, for many items at a time. */
  #attempt = 0;
  #submission: SubmitResult | null = null;
  /** A slot was requested, by it or by its campaign, and there is no answer yet. */
  #waitsForSlot: boolean;
  /** The job from before `retry` cannot be used, and another one is needed. */
  #formerGivenUp = false;
  /** That of the last submission of unknown fate (budget/request.ts). */
  #unsureSlot: string | undefined;
  /** The service does not have its job: the next submission may use its slot. */
  #isAbsent = false;
  /** When the fate of a submission was first unknown (ms). */
  #unsureSince: number | null = null;

  constructor(progress: ItemProgress) {
    this.#input = progress.input;
    this.#progress = progress;
    this.#waitsForSlot = progress.input.remoteId === undefined;
    if (progress.input.submitted) this.answer(progress.input.submitted);
  }

  /** From now on the item is submitted as if it had never had a job. */
  giveUpFormer(): void {
    this.#formerGivenUp = true;
  }

  answer({ attempt, result, turnedAway, slot }: Submitted): void {
    // A repeated answer, sent after the budget was restarted.
    if (attempt !== this.#attempt || !this.#waitsForSlot) return;
    for (const { at, reason, message } of turnedAway) {
      this.#progress.attempts.push({ at: new Date(at).toISOString(), outcome: reason, message });
    }
    if (slot !== undefined) this.#unsureSlot = slot;
    this.#submission = result;
  }

  async submit(): Promise<RemoteJob> {
    // Accepted already, according to the output tree of an earlier run: never submitted again.
    const { remoteId, adopted } = this.#input;
    if (remoteId !== undefined && !this.#formerGivenUp)
      return this.#progress.accepted(adopted ? 'adopted' : 'found', remoteId);
    for (; ; this.#attempt += 1) {
      // The campaign requests slots only for items without a job.
      if (this.#attempt > 0 || this.#formerGivenUp) await this.#ask();
      const result = await this.#answered();
      switch (result.type) {
        case 'accepted':
          this.#progress.posted = postTimes(result);
          return this.#progress.accepted('accepted', result.remoteId);
        case 'unable':
          this.#progress.note('unable', result.message);
          throw Ended.unable(result);
        case 'over':
          throw Ended.over(result.end);
        case 'refused':
          this.#progress.note('refused', result.message);
          return await this.#accountForRefusal(result);
        case 'unsure': {
          // Of several POSTs, any may have created the job, but none was sent before the first.
          if (this.#unsureSince === null) this.#progress.posted = postTimes(result);
          this.#progress.note('unsure', result.message, postTimes(result));
          const job = await this.#reconcile(result);
          if (job) return job;
          break;
        }
        case 'notNow':
        case 'deferred':
        case 'unwanted':
          // The budget retries these itself; one that arrives here is a bug.
          throw new Error('the budget reported a submission that it should have put back');
      }
    }
  }

  /** Waits for a slot and for the answer to the submission made in it. */
  async #answered(): Promise<SubmitResult> {
    await condition(() => this.#submission !== null);
    // Set when the condition holds; the compiler cannot know that.
    const result = this.#submission as unknown as SubmitResult;
    this.#submission = null;
    this.#waitsForSlot = false;
    return result;
  }

  /**
   * A campaign that finds the item running cannot know whether an earlier one had requested a slot, and a restarted
   * budget has lost its queue: a repeated request is harmless.
   */
  async askIfWaiting(): Promise<void> {
    if (this.#waitsForSlot && this.#submission === null) await this.#ask();
  }

  async #ask(): Promise<void> {
    this.#waitsForSlot = true;
    const { remoteId, ...unsent } = this.#input;
    const input = this.#formerGivenUp || remoteId === undefined ? unsent : this.#input;
    const replaces = this.#isAbsent ? this.#unsureSlot : undefined;
    const own = { input, runId: workflowInfo().runId, ...(replaces !== undefined && { replaces }) };
    await askBudget([own], this.#attempt);
  }

  /**
   * The fate of a POST is unknown, and the budget keeps its slot. Where jobs can be found by name, we look; what is
   * certainly absent is submitted again under the same name, which the service accepts only once.
   */
  async #reconcile(unsure: UnsureSubmission): Promise<RemoteJob | null> {
    const { policy } = this.#input;
    const { message: why } = unsure;
    const found = await this.#find();
    // By the time of the activity, which is in the history (budget-clock.ts).
    const { askedAt } = found;
    this.#unsureSince ??= askedAt;
    if (found.type === 'found') return this.#progress.accepted('found', found.remoteId);
    // A repeated request may be counted once more: only a job that is certainly absent gives its slot back.
    this.#isAbsent = found.type === 'absent';
    if (found.type === 'absent' || found.type === 'repeat') {
      if (found.type === 'absent')
        this.#progress.note('absent', 'the service has no job with this name');
      const { patienceMs = PATIENCE_MS } = policy;
      const mostMs = found.type === 'repeat' ? Math.min(patienceMs, found.withinMs) : patienceMs;
      if (askedAt - this.#unsureSince < mostMs) {
        await this.#letOthersGoFirst();
        return null;
      }
      const none = found.type === 'repeat' ? 'answered' : 'answered and none found at the service';
      throw Ended.unsure(`${this.#attempt + 1} submissions, none ${none}: ${why}`, unsure);
    }
    if (policy.whenUnsure === 'resubmit' && this.#attempt === 0) return null;
    const cannot = found.type === 'unavailable' ? `does not say (${found.message})` : 'cannot say';
    throw Ended.unsure(`${why}; the service ${cannot} whether it has the job`, unsure);
  }

  /** Each submission of unknown fate costs a slot: an item without answers must not use up the window of others. */
  async #letOthersGoFirst(): Promise<void> {
    if (this.#attempt === 0) return;
    const delay = growingDelay({ first: 2_000, longest: LONGEST_BETWEEN_MS }, this.#attempt);
    await sleep(delay, { summary: againSummary(Date.now() + delay, Date.now()) });
  }

  /**
   * A name that is taken is our own job, from a submission whose answer was lost: names are derived from the input. If
   * the service does not list it, it still has the job, and no second one is requested.
   */
  async #accountForRefusal(refused: RefusedSubmission): Promise<RemoteJob> {
    const found = await this.#find();
    if (found.type === 'found') return this.#progress.accepted('found', found.remoteId);
    const { status, message, taken } = refused;
    const mayBeTaken = this.#unsureSince !== null && found.type === 'absent';
    if (mayBeTaken || taken) {
      const words = 'it has the job but does not report its id';
      throw new Ended('held', 'SUBMIT_TAKEN', `${message} (HTTP ${status}): ${words}`);
    }
    throw new Ended('failed', 'SUBMIT_REFUSED', message);
  }

  async #find(): Promise<Found> {
    const { reference, policy } = this.#input;
    const slot = this.#unsureSlot;
    const question = withToken('whether the service has this job', this.#input);
    const answer = await find.executeWithOptions(question, [
      this.#progress.address(),
      reference,
      policy,
      slot,
    ]);
    if (answer.type === 'found' && slot !== undefined)
      await signalBudget(this.#input, foundSignal, slot);
    return answer;
  }
}
