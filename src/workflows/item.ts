/**
 * One row of a manifest, from waiting for a slot to files on disk:
 *
 *   wait for a slot ─▶ submitted (by the budget) ─▶ poll ─▶ fetch all files at once ─▶ conclude
 *
 * A child of its campaign, which asks the budget for it and which it outlives across continue-as-new: its end is
 * reported by a signal to the campaign's workflow id (by `conclude`, so that it costs no workflow task here). It
 * ends in exactly one final state, which is on disk before the campaign hears of it.
 */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { PATIENCE_MS, type Attempt, type ItemEnd } from '../domain/campaign.ts';
import type { PostTimes, Timing } from '../domain/outcomes.ts';
import type { ItemState } from '../domain/states.ts';
import { conclude, fetchArtefact, find, poll } from './activity-options.ts';
import { askBudget } from './ask-budget.ts';
import { itemDetails } from './details/item.ts';
import { againSummary, endSummary, summary } from './details/summaries.ts';
import { Ended, explain, saysTaken, type Refused } from './item-end.ts';
import {
  askSignal,
  submittedSignal,
  withdrawSignal,
  type ItemInput,
  type Submitted,
} from './messages.ts';
import { budgetWorkflowId, itemWorkflowId } from './names.ts';
import { postTimes, withQueuedAt } from './post-times.ts';
import { ATTRIBUTES } from './search-attributes.ts';
import type { KeptFile, RemoteJob, SubmitResult } from './verbs.ts';

export async function item(input: ItemInput): Promise<ItemEnd> {
  const run = new ItemRun(input);
  setHandler(submittedSignal, (submitted) => run.answer(submitted));
  setHandler(askSignal, () => run.askIfWaiting());
  return run.run();
}

/** Between submissions of one item whose fate is unknown each time. */
const LONGEST_BETWEEN_MS = 5 * 60_000;

class ItemRun {
  private readonly input: ItemInput;
  private readonly workflowId: string;
  private readonly attempts: Attempt[] = [];
  private readonly files: KeptFile[] = [];
  /** Submissions asked for. The first is asked for by the campaign, for many items at a time. */
  private attempt = 0;
  private submission: SubmitResult | null = null;
  /** It has asked for a slot, or the campaign has for it, and no answer has come. */
  private waitsForSlot = true;
  /** When the fate of a submission was first unknown (ms). */
  private unsureSince: number | null = null;
  private remoteId: string | null = null;
  private submittedAt: string | null = null;
  /** Of the POST that made the job, or that may have. */
  private posted: Partial<PostTimes> = {};
  private timing: Timing | null = null;
  /** Told while the job ran, and not with its result. */
  private queuedAt: string | undefined;
  private engine: string | undefined;

  constructor(input: ItemInput) {
    this.input = input;
    this.workflowId = itemWorkflowId(input.campaign, input.id);
    this.show('waiting');
  }

  answer({ attempt = this.attempt, result, turnedAway }: Submitted): void {
    // Told once more of what it knows, by whoever has started the budget anew.
    if (attempt !== this.attempt || !this.waitsForSlot) return;
    for (const { at, reason, message } of turnedAway) {
      this.attempts.push({ at: new Date(at).toISOString(), outcome: reason, message });
    }
    this.submission = result;
  }

  async run(): Promise<ItemEnd> {
    const end = await this.path();
    // Also after a cancellation: every item has its end on disk.
    return CancellationScope.nonCancellable(() => this.conclude(end));
  }

  private async path(): Promise<ItemEnd> {
    try {
      const job = await this.submit();
      await this.download(job, await this.awaitResult(job));
      return { state: 'succeeded', code: null, message: null };
    } catch (error) {
      if (error instanceof Ended) return error.end;
      if (isCancellation(error)) return this.cancelled();
      // A row may fail for a reason nobody thought of, but it may not be lost.
      return { state: 'failed', ...explain(error) };
    }
  }

  private async submit(): Promise<RemoteJob> {
    // Accepted already, as the output tree of an earlier run tells: never submitted again.
    const { remoteId, adopted } = this.input;
    if (remoteId !== undefined) return this.accepted(adopted ? 'adopted' : 'found', remoteId);
    for (; ; this.attempt += 1) {
      if (this.attempt > 0) await this.ask();
      const result = await this.answered();
      switch (result.type) {
        case 'accepted':
          this.posted = postTimes(result);
          return this.accepted('accepted', result.remoteId);
        case 'unable':
          this.note('unable', result.message);
          throw new Ended('failed', result.code, result.message);
        case 'refused':
          this.note('refused', result.message);
          return await this.accountForRefusal(result);
        case 'unsure': {
          // Whichever of several POSTs has made the job, it was not sent before the first.
          if (this.unsureSince === null) this.posted = postTimes(result);
          this.note('unsure', result.message, postTimes(result));
          const job = await this.reconcile(result.message);
          if (job) return job;
          break;
        }
        case 'notNow':
        case 'deferred':
        case 'unwanted':
          // The budget keeps these to itself and tries again; one that gets here is a bug of ours.
          throw new Error('the budget reported a submission that it should have put back');
      }
    }
  }

  /** Waits for a slot and for the answer to the submission made in it. */
  private async answered(): Promise<SubmitResult> {
    await condition(() => this.submission !== null);
    // The condition holds only when it is set; the compiler cannot see through the closure.
    const result = this.submission as unknown as SubmitResult;
    this.submission = null;
    this.waitsForSlot = false;
    return result;
  }

  /**
   * A campaign that found us running cannot know whether an earlier one had asked for us, and a budget that was started
   * anew has lost its queue: asking twice does no harm.
   */
  async askIfWaiting(): Promise<void> {
    if (!patched('ask-every-attempt')) {
      if (this.remoteId === null && this.attempt === 0) await this.ask();
    } else if (this.waitsForSlot && this.submission === null) await this.ask();
  }

  private async ask(): Promise<void> {
    this.waitsForSlot = true;
    await askBudget([{ input: this.input, runId: workflowInfo().runId }], this.attempt);
  }

  /**
   * The fate of a POST is unknown and its slot is charged. Where jobs can be found by name, we look; what is
   * certainly absent is submitted again under the same name, which the service accepts only once.
   */
  private async reconcile(why: string): Promise<RemoteJob | null> {
    const { policy } = this.input;
    const began = Date.now();
    const found = await this.find();
    // By the time of the activity, which stands in the history (budget-clock.ts).
    const { askedAt } = found;
    this.unsureSince ??= askedAt ?? began;
    if (found.type === 'found') return this.accepted('found', found.remoteId);
    if (found.type === 'absent') {
      this.note('absent', 'the service knows no job of this name');
      const waitedMs = (askedAt ?? Date.now()) - this.unsureSince;
      if (waitedMs < (policy.patienceMs ?? PATIENCE_MS)) {
        await this.letOthersGoFirst();
        return null;
      }
      const times = `${this.attempt + 1} submissions, none answered and none known to the service`;
      throw new Ended('held', 'SUBMIT_UNSURE', `${times}: ${why}`);
    }
    if (policy.whenUnsure === 'resubmit' && this.attempt === 0) return null;
    const cannot = found.type === 'unavailable' ? `does not say (${found.message})` : 'cannot tell';
    throw new Ended(
      'held',
      'SUBMIT_UNSURE',
      `${why}; the service ${cannot} whether it has the job`,
    );
  }

  /** Each submission of unknown fate costs a slot: one that is never answered must not use up everyone's window. */
  private async letOthersGoFirst(): Promise<void> {
    if (this.attempt === 0) return;
    const delay = Math.min(LONGEST_BETWEEN_MS, 1_000 * 2 ** this.attempt);
    await sleep(delay, { summary: againSummary(Date.now() + delay, Date.now()) });
  }

  /**
   * A name that is taken is our own job, from a submission whose answer was lost: names are derived from the input. If
   * the service then does not list it, it has the job all the same, and a second one is not asked for.
   */
  private async accountForRefusal(refused: Refused): Promise<RemoteJob> {
    const found = await this.find();
    if (found.type === 'found') return this.accepted('found', found.remoteId);
    const { status, message } = refused;
    const mayBeTaken = this.unsureSince !== null && found.type === 'absent';
    if (this.input.kind !== 'molecule' && (mayBeTaken || saysTaken(refused))) {
      const words = 'it has the job, and does not say under which id';
      throw new Ended('held', 'SUBMIT_TAKEN', `${message} (HTTP ${status}): ${words}`);
    }
    throw new Ended('failed', 'SUBMIT_REFUSED', message);
  }

  private find() {
    const { reference, policy } = this.input;
    const question = { summary: 'whether the service has this job' };
    return find.executeWithOptions(question, [this.address(), reference, policy]);
  }

  private accepted(outcome: 'accepted' | 'found' | 'adopted', remoteId: string): RemoteJob {
    // This task may run long after the answer, when the worker is busy.
    const at = this.posted.answeredAt ?? new Date().toISOString();
    this.remoteId = remoteId;
    this.attempts.push({ at, outcome, remoteId, ...this.posted });
    const job = { item: this.address(), reference: this.input.reference, remoteId };
    // Somebody else has submitted an adopted job, at a time that only its service knows.
    if (outcome !== 'adopted') this.submittedAt = at;
    this.show('running');
    return outcome === 'adopted' ? job : { ...job, times: { submittedAt: at, ...this.posted } };
  }

  private async awaitResult(job: RemoteJob) {
    const question = { summary: summary(`whether job ${job.remoteId} has ended`) };
    const result = await poll.executeWithOptions(question, [job, this.input.policy]);
    if (result.type === 'failed') {
      this.timing = result.timing;
      throw new Ended('failed', result.code, result.message);
    }
    this.queuedAt = result.queuedAt;
    return result.artefacts;
  }

  /** At once and side by side: the service deletes results, and each file is checked by itself. */
  private async download(
    job: RemoteJob,
    artefacts: Awaited<ReturnType<typeof this.awaitResult>>,
  ): Promise<void> {
    const fetched = await Promise.all(
      artefacts.map((artefact) =>
        fetchArtefact.executeWithOptions({ summary: `download its ${artefact}` }, [
          job,
          artefact,
          this.input.policy,
        ]),
      ),
    );
    for (const { files, timing, engine } of fetched) {
      this.files.push(...files);
      this.timing ??= timing;
      this.engine ??= engine;
    }
    const bad = fetched.find(({ problem }) => problem !== null)?.problem;
    if (bad) throw new Ended('failed', bad.code, bad.message);
  }

  private async cancelled(): Promise<ItemEnd> {
    await CancellationScope.nonCancellable(async () => {
      const keeper = getExternalWorkflowHandle(budgetWorkflowId(this.input.reference));
      try {
        const run = workflowInfo().runId;
        await keeper.signal(withdrawSignal, { item: this.workflowId, run });
      } catch (error) {
        log.warn('no budget workflow to withdraw from', { error: String(error) });
      }
    });
    return { state: 'cancelled', code: 'CANCELLED', message: 'cancelled before it had ended' };
  }

  private async conclude(end: ItemEnd): Promise<ItemEnd> {
    const { attempts, files, remoteId, submittedAt, engine } = this;
    const timing = withQueuedAt(this.timing, this.queuedAt);
    const conclusion = {
      ...{ item: this.address(), reference: this.input.reference, end, remoteId, attempts, files },
      ...{ submittedAt, finishedAt: new Date().toISOString(), timing },
      ...(remoteId !== null && this.posted),
      ...(engine !== undefined && { engine }),
    };
    const options = { summary: endSummary(end) };
    // Histories of before the files were compared have no answer here.
    const written = (await conclude.executeWithOptions(options, [conclusion])) ?? end;
    this.show(written.state, written);
    return written;
  }

  private note(
    outcome: Attempt['outcome'],
    message: string,
    posted: Partial<PostTimes> = {},
  ): void {
    this.attempts.push({ at: new Date().toISOString(), outcome, message, ...posted });
  }

  private address() {
    const { campaign, store, tree, id, kind, generation } = this.input;
    return { campaign, store, id, kind, generation, ...(tree !== undefined && { tree }) };
  }

  /** Search attributes and details for the Temporal UI. */
  private show(state: ItemState, end: ItemEnd | null = null): void {
    if (state !== 'waiting') {
      upsertSearchAttributes([
        { key: ATTRIBUTES.state, value: state },
        ...(this.remoteId ? [{ key: ATTRIBUTES.remoteId, value: this.remoteId }] : []),
        ...(end?.code ? [{ key: ATTRIBUTES.errorCode, value: end.code }] : []),
      ]);
    }
    const { remoteId, attempts, submittedAt, timing, files } = this;
    const standing = { state, end, remoteId, attempts, submittedAt, timing, files };
    setCurrentDetails(itemDetails(this.input, standing, Date.now()));
  }
}
