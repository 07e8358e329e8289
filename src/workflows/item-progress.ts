/** How far an item has come: what is recorded at its end, and shown in the Temporal UI until then. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Attempt, ItemEnd } from '../domain/campaign.ts';
import type { Timing } from '../domain/outcomes.ts';
import type { ItemState } from '../domain/states.ts';
import { itemDetails } from './details/item.ts';
import type { ItemInput } from './messages.ts';
import { ATTRIBUTES } from './search-attributes.ts';
import type { FetchResult, ItemAddress, KeptFile, RemoteJob } from './verbs.ts';

export class ItemProgress {
  readonly input: ItemInput;
  readonly attempts: Attempt[] = [];
  files: readonly KeptFile[] = [];
  remoteId: string | null = null;
  /** ISO 8601, UTC. */
  submittedAt: string | null = null;
  timing: Timing | null = null;
  engine: string | undefined;

  constructor(input: ItemInput) {
    this.input = input;
    this.show('waiting');
  }

  note(outcome: Attempt['outcome'], message: string): void {
    this.attempts.push({ at: new Date().toISOString(), outcome, message });
  }

  accepted(outcome: 'accepted' | 'found' | 'adopted', remoteId: string): RemoteJob {
    const at = new Date().toISOString();
    this.remoteId = remoteId;
    // Somebody else has submitted an adopted job, at a time that only its service knows.
    if (outcome !== 'adopted') this.submittedAt = at;
    this.attempts.push({ at, outcome, remoteId });
    this.show('running');
    return { item: this.address(), reference: this.input.reference, remoteId };
  }

  keep({ files, timing, engine }: FetchResult): void {
    this.files = [...this.files, ...files];
    this.timing ??= timing;
    this.engine ??= engine;
  }

  /** Another job is submitted: what is known of this one stands in the attempts. */
  givenUp(message: string): void {
    const outcome = 'given-up';
    const job = this.remoteId === null ? {} : { remoteId: this.remoteId };
    this.attempts.push({ at: new Date().toISOString(), outcome, message, ...job });
    this.files = [];
    this.remoteId = null;
    this.submittedAt = null;
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
    return { campaign, store, id, kind, generation, ...(tree !== undefined && { tree }) };
  }

  /** Search attributes and details for the Temporal UI. */
  show(state: ItemState, end: ItemEnd | null = null): void {
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
