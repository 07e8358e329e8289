/**
 * Reads the state of a budget from its history without running its code: for a budget whose workflow cannot be
 * replayed. Everything that may still be charged counts as charged.
 */
import type { Client } from '@temporalio/client';
import type { Restored } from '../budget/events.ts';
import type { Waiting } from '../budget/request.ts';
import { unpackTimes } from '../budget/packed.ts';
import type { BudgetSnapshot } from '../budget/status.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { LONGEST_POST_MS } from '../domain/longest-post.ts';
import type { BudgetConfiguration } from '../budget/events.ts';
import type { BudgetInput, Submitted } from '../workflows/messages.ts';
import { isAnswer, submittedOf } from '../workflows/fates.ts';
import type {
  ItemJob,
  ItemRequest,
  SubmitAnswer,
  SubmitRequest,
  SubmitResult,
} from '../workflows/submit-types.ts';

export type WorkflowHistory = Awaited<
  ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>
>;
type HistoryEvent = NonNullable<WorkflowHistory['events']>[number];
type Payloads = { readonly payloads?: readonly object[] | null } | null | undefined;
/** Reads the arguments of a signal, an activity, a workflow. */
export type Decode = (payloads: Payloads) => Promise<unknown[]>;

interface BudgetRemains {
  readonly closes: Restored['closes'];
  /** Campaigns. */
  readonly paused: readonly string[];
  /** The newest for each credential. */
  readonly configurations: readonly BudgetConfiguration[];
  /** Answers that were not delivered to the items. */
  readonly unreported: readonly {
    readonly item: string;
    readonly run?: string;
    readonly submitted: Submitted;
    /** For an item whose workflow was not started. */
    readonly launch?: Launch;
  }[];
}

/** The arguments of `launchItem`. */
interface Launch {
  readonly request: SubmitRequest;
  readonly reference: ServiceReference;
  readonly answer: SubmitResult;
}

interface Submission {
  readonly request: ItemRequest & Partial<Waiting<ItemJob>>;
  readonly reference: ServiceReference;
  result: SubmitAnswer | null;
  /** When it ended (ms); null while it may be in progress. */
  endedAt: number | null;
}

/** @param now ms since the epoch */
export async function remainsOf(
  { events }: WorkflowHistory,
  decode: Decode,
  now: number,
): Promise<BudgetRemains> {
  const reading = new Reading(decode);
  for (const event of events ?? []) await reading.take(event);
  return reading.remains(now);
}

class Reading {
  readonly #decode: Decode;
  readonly #closes: Record<string, number[]> = {};
  readonly #paused = new Set<string>();
  readonly #configurations = new Map<string, BudgetConfiguration>();
  /** By the id of the event that scheduled them. */
  readonly #submissions = new Map<string, Submission>();
  readonly #reported = new Set<string>();

  constructor(decode: Decode) {
    this.#decode = decode;
  }

  async take(event: HistoryEvent): Promise<void> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) this.#begin((await this.#decode(started.input))[0] as BudgetInput);
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName) this.#hear(signal.signalName, (await this.#decode(signal.input))[0]);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === 'submit') {
      const [request, reference] = (await this.#decode(scheduled.input)) as [
        Submission['request'],
        ServiceReference,
      ];
      const begun = { request, reference, result: null, endedAt: null };
      this.#submissions.set(String(event.eventId), begun);
    }
    await this.#end(event);
    const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (sent?.signalName === 'submitted') {
      const [{ attempt }] = (await this.#decode(sent.input)) as [Submitted];
      const { workflowId } = sent.workflowExecution ?? {};
      this.#reported.add(`${workflowId ?? ''} ${attempt ?? 0}`);
    }
  }

  remains(now: number): BudgetRemains {
    const submissions = [...this.#submissions.values()];
    for (const { request, result, endedAt } of submissions) {
      if (result && !mayBeCharged(result)) continue;
      this.#charge(request.credential, endedAt ?? now + LONGEST_POST_MS);
    }
    for (const closes of Object.values(this.#closes)) closes.sort((a, b) => a - b);
    return {
      closes: this.#closes,
      paused: [...this.#paused],
      configurations: [...this.#configurations.values()],
      unreported: submissions.flatMap((submission) => this.#unreported(submission)),
    };
  }

  #begin({ carried }: BudgetInput): void {
    for (const [credential, { window }] of Object.entries(carried?.credentials ?? {}))
      for (const close of unpackTimes(window.closes)) this.#charge(credential, close);
    for (const campaign of carried?.queue.paused ?? []) this.#paused.add(campaign);
  }

  #hear(name: string, argument: unknown): void {
    if (name === 'configure') {
      const configuration = argument as BudgetConfiguration;
      this.#configurations.set(configuration.credential, configuration);
    } else if (name === 'pause') {
      const { campaign, paused } = argument as { campaign: string; paused: boolean };
      if (paused) this.#paused.add(campaign);
      else this.#paused.delete(campaign);
    } else if (name === 'restore') {
      const { closes, paused } = argument as Restored;
      for (const [credential, charged] of Object.entries(closes))
        for (const close of charged) this.#charge(credential, close);
      for (const campaign of paused) this.#paused.add(campaign);
    }
  }

  async #end(event: HistoryEvent): Promise<void> {
    const completed = event.activityTaskCompletedEventAttributes;
    const ended =
      completed ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    const submission = this.#submissions.get(String(ended?.scheduledEventId));
    if (!submission) return;
    submission.endedAt = millisecondsOf(event);
    if (completed) submission.result = (await this.#decode(completed.result))[0] as SubmitAnswer;
  }

  #charge(credential: string, close: number): void {
    (this.#closes[credential] ??= []).push(close);
  }

  #unreported({ request, reference, result }: Submission): BudgetRemains['unreported'] {
    const { item, run, attempt, turnedAway = [], job } = request;
    if (!result || !isAnswer(result) || this.#reported.has(`${item} ${attempt}`)) return [];
    // The activity itself has reported it.
    if (result.told) return [];
    const submitted = submittedOf({ ...request, turnedAway }, result);
    // The history has the arguments of the activity.
    const launch = { request: request as SubmitRequest, reference, answer: result };
    return [{ item, ...(run !== undefined && { run }), submitted, ...(job.launch && { launch }) }];
  }
}

function mayBeCharged({ type }: SubmitResult): boolean {
  return type === 'accepted' || type === 'unsure';
}

function millisecondsOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1e6);
}

/**
 * The charges of a history, or those that the budget wrote last if they are more: it may have found jobs of others in
 * the answers of the service.
 */
export function mostCharges(
  remains: Restored['closes'],
  written: BudgetSnapshot | null,
): Restored['closes'] {
  const most: Record<string, readonly number[]> = { ...remains };
  for (const { credential, closes } of written?.credentials ?? []) {
    const oldest = closes[0];
    if (oldest === undefined) continue;
    const counting = (most[credential] ?? []).filter((close) => close >= oldest);
    if (closes.length > counting.length) most[credential] = closes;
  }
  return most;
}
