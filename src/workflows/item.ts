/**
 * One row of a manifest from its job on: the job is polled until it has ended, its files are downloaded, its end is
 * written. An item begins when its submission is answered, with a job or with its end (src/activities/rows.ts):
 * until then its row waits in the budget. A row whose job an earlier run has recorded is begun by its campaign.
 *
 * It outlives the run of the campaign that requested it, so its end is reported by a signal to the campaign's workflow id
 * (by `conclude`, so that it costs no workflow task here). It ends in exactly one final state, which is on disk before
 * the campaign is notified; or, where the job from before `retry` is of no use, or the machine of a lane has failed,
 * without one, and its row asks a budget for another job.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Attempt, ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import type { PostTimes } from '../domain/outcomes.ts';
import { conclude, finishJob, LANE_JOBS, withToken } from './activity-options.ts';
import type { ItemAddress, SubmittedJob } from './activity-types.ts';
import { endSummary, formatItemDetails, formatSummary } from './details.ts';
import { acceptedSignal, type ItemInput, type JobBegin } from './messages.ts';
import { buildCampaignWorkflowId, ATTRIBUTES } from './names.ts';

/**
 * @returns null if its job was given up
 * @throws what makes the Temporal UI show it as failed or cancelled, after the end is on disk
 */
export async function item(input: ItemInput): Promise<ItemEnd | null> {
  const run = new ItemRun(input);
  const end = await run.reachEnd();
  if (end === null) return null;
  // Also after a cancellation: every item has its end on disk.
  const written = await CancellationScope.nonCancellable(() => run.write(end));
  showEnd(written);
  return written;
}

/** The end is on disk: this is only what status, colour and the tab Failures of the Temporal UI say. */
function showEnd({ state, code, message }: ItemEnd): void {
  const words = message ?? state;
  if (state === 'failed' || state === 'held')
    throw ApplicationFailure.create({ type: code ?? state, message: words, nonRetryable: true });
  if (state === 'cancelled' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure(words);
}

const CANCELLED: ItemEnd = {
  state: 'cancelled',
  code: 'CANCELLED' satisfies ItemEndCode,
  message: 'cancelled before it had ended',
};

class ItemRun {
  readonly #input: ItemInput;
  readonly #attempts: Attempt[];
  readonly #job: JobBegin | null;
  readonly #posted: Partial<PostTimes>;
  /** ISO 8601, UTC. */
  readonly #submittedAt: string | null;
  /** On disk, and reported to the campaign. */
  #written: ItemEnd | null = null;

  constructor(input: ItemInput) {
    const { begin } = input;
    this.#input = input;
    this.#attempts = [...begin.attempts];
    this.#job = begin.type === 'job' ? begin : null;
    this.#posted = this.#job?.posted ?? {};
    // This task may run long after the answer, when the worker is busy.
    const at = this.#posted.answeredAt ?? new Date().toISOString();
    // An adopted job was submitted by other means, at a time that only its service knows.
    this.#submittedAt = this.#job === null || this.#job.how === 'adopted' ? null : at;
    if (this.#job) {
      const { how, remoteId } = this.#job;
      this.#attempts.push({ at, outcome: how, remoteId, ...this.#posted });
    }
    this.#show(null);
    if (this.#job && input.first) void reportAccepted(input);
  }

  /** Its end, on disk or not; null if its job was given up. */
  async reachEnd(): Promise<ItemEnd | null> {
    const { begin } = this.#input;
    if (begin.type === 'end') return begin.end;
    try {
      return await this.#finishJob(begin.remoteId);
    } catch (error) {
      if (isCancellation(error) || CancellationScope.current().consideredCancelled)
        return CANCELLED;
      // A row may fail for an unexpected reason, but it must not be lost.
      return { state: 'failed', ...explain(error) };
    }
  }

  async #finishJob(remoteId: string): Promise<ItemEnd | null> {
    const { formerEnd, adopted, policy, reference, givesBack } = this.#input;
    const former = adopted ? null : (formerEnd ?? null);
    const words = formatSummary(`job ${remoteId}: wait for it, download, write the end`);
    const options = { ...withToken(words, this.#input), ...(givesBack && LANE_JOBS) };
    const job = { item: this.#item, reference, remoteId, ...(givesBack && { givesBack }) };
    const result = await finishJob.executeWithOptions(options, [
      job,
      policy,
      this.#submitted,
      former,
    ]);
    if (result.type === 'givenUp') return null;
    this.#written = result.end;
    return result.end;
  }

  get #submitted(): SubmittedJob {
    const [attempts, submittedAt] = [this.#attempts, this.#submittedAt];
    return { attempts, submittedAt, ...this.#posted };
  }

  get #item(): ItemAddress {
    const { campaign, store, tree, id, kind, generation } = this.#input;
    return { campaign, store, id, kind, generation, tree };
  }

  async write(end: ItemEnd): Promise<ItemEnd> {
    const written = this.#written ?? (await this.#conclude(end));
    this.#show(written);
    return written;
  }

  /** Without a result of its job: `finishJob` writes the end of one that has ended. */
  #conclude(end: ItemEnd): Promise<ItemEnd> {
    const conclusion = {
      item: this.#item,
      reference: this.#input.reference,
      end,
      remoteId: this.#job?.remoteId ?? null,
      ...this.#submitted,
      files: [],
      finishedAt: new Date().toISOString(),
      timing: null,
      engine: null,
    };
    return conclude.executeWithOptions({ summary: endSummary(end) }, [conclusion]);
  }

  /** Details for the Temporal UI; its search attributes say since its start that it runs. */
  #show(end: ItemEnd | null): void {
    if (end !== null)
      upsertSearchAttributes([
        { key: ATTRIBUTES.state, value: end.state },
        ...(end.code ? [{ key: ATTRIBUTES.errorCode, value: end.code }] : []),
      ]);
    const shown = {
      end,
      remoteId: this.#job?.remoteId ?? null,
      submittedAt: this.#submittedAt,
    };
    setCurrentDetails(formatItemDetails(this.#input, shown, Date.now()));
  }
}

/** To its campaign, which waits for it to send the other rows of the kind. */
async function reportAccepted({ campaign, id }: ItemInput): Promise<void> {
  try {
    await getExternalWorkflowHandle(buildCampaignWorkflowId(campaign)).signal(acceptedSignal, {
      id,
    });
  } catch (error) {
    log.info('no campaign waits for the first rows', { error: String(error) });
  }
}

/** Of an activity that is not tried again. */
export function explain(error: unknown): { code: string; message: string } {
  const code = 'INTERNAL' satisfies ItemEndCode;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure)
    return { code: cause.type ?? code, message: cause.message };
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}
