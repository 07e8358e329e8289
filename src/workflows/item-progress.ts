/** The progress of an item: shown in the Temporal UI, and recorded at its end. */
import {
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Attempt, ItemEnd } from '../domain/campaign.ts';
import type { PostTimes, Timing } from '../domain/outcomes.ts';
import type { ItemState } from '../domain/states.ts';
import { itemDetails } from './details/item.ts';
import { acceptedSignal, type ItemInput } from './messages.ts';
import { campaignWorkflowId } from './names.ts';
import { ATTRIBUTES } from './search-attributes.ts';
import type { FetchResult, ItemAddress, JobFinish, KeptFile, RemoteJob } from './activity-types.ts';

export class ItemProgress {
  readonly input: ItemInput;
  readonly attempts: Attempt[] = [];
  files: readonly KeptFile[] = [];
  remoteId: string | null = null;
  /** ISO 8601, UTC. */
  submittedAt: string | null = null;
  /** Of the POST that made the job, or that may have. */
  posted: Partial<PostTimes> = {};
  timing: Timing | null = null;
  engine: string | undefined;
  /** On disk, and reported to the campaign. */
  written: ItemEnd | null = null;

  constructor(input: ItemInput) {
    this.input = input;
    if (!isAccepted(input)) this.show('waiting');
  }

  note(outcome: Attempt['outcome'], message: string, posted: Partial<PostTimes> = {}): void {
    this.attempts.push({ at: new Date().toISOString(), outcome, message, ...posted });
  }

  accepted(outcome: 'accepted' | 'found' | 'adopted', remoteId: string): RemoteJob {
    // This task may run long after the answer, when the worker is busy.
    const at = this.posted.answeredAt ?? new Date().toISOString();
    this.remoteId = remoteId;
    this.attempts.push({ at, outcome, remoteId, ...this.posted });
    const job = { item: this.address(), reference: this.input.reference, remoteId };
    // An adopted job was submitted by other means, at a time that only its service knows.
    if (outcome !== 'adopted') this.submittedAt = at;
    if (this.input.first) void reportAccepted(this.input);
    this.show('running');
    return outcome === 'adopted' ? job : { ...job, times: { submittedAt: at, ...this.posted } };
  }

  keep({ files, timing, engine }: FetchResult): void {
    this.files = [...this.files, ...files];
    this.timing ??= timing;
    this.engine ??= engine;
  }

  finished({ end, files, timing, engine }: Extract<JobFinish, { type: 'ended' }>): void {
    this.files = files;
    this.timing = timing;
    this.engine = engine;
    this.written = end;
  }

  /** Another job is submitted: what is known of this one is in the attempts. */
  givenUp(message: string): void {
    const outcome = 'given-up';
    const job = this.remoteId === null ? {} : { remoteId: this.remoteId };
    this.attempts.push({ at: new Date().toISOString(), outcome, message, ...job });
    this.files = [];
    this.remoteId = null;
    this.submittedAt = null;
    this.posted = {};
    this.timing = null;
    this.engine = undefined;
    upsertSearchAttributes([
      { key: ATTRIBUTES.state, value: 'waiting' },
      { key: ATTRIBUTES.remoteId, value: null },
    ]);
    this.show('waiting');
  }

  address(): ItemAddress {
    const { campaign, store, tree, id, kind, generation } = this.input;
    return { campaign, store, id, kind, generation, tree };
  }

  /** Search attributes and details for the Temporal UI. */
  show(state: ItemState, end: ItemEnd | null = null): void {
    // It was started as running.
    if (state !== 'waiting' && !(state === 'running' && isAccepted(this.input))) {
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

/** To its campaign, which waits for it to send the other rows of the kind. */
async function reportAccepted({ campaign, id }: ItemInput): Promise<void> {
  try {
    await getExternalWorkflowHandle(campaignWorkflowId(campaign)).signal(acceptedSignal, { id });
  } catch (error) {
    log.info('no campaign waits for the first rows', { error: String(error) });
  }
}

/** The workflow was started with the job of the item, which is in its search attributes. */
function isAccepted({ submitted }: ItemInput): boolean {
  return submitted?.result.type === 'accepted';
}
