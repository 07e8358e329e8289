/** What differs between kinds of budgets, for `keepBudget`: what is run, how its end counts, who is notified. */
import type { DecisionAhead } from '../../budget/ahead.ts';
import type { Budget, Grant } from '../../budget/budget.ts';
import type { BudgetEvent, Closing } from '../../budget/events.ts';
import type { CarriedBudget } from '../../budget/packed.ts';
import type { CampaignRun, JobReference, Request } from '../../budget/request.ts';
import type { BudgetStatus } from '../../budget/status.ts';
import type { SteadyReading } from '../../domain/outcomes.ts';
import type { ClockReading } from '../messages.ts';

/** What the workflow of a budget is started with. */
export interface KeptBudget {
  /** Carried through continue-as-new. */
  readonly carried?: CarriedBudget;
  /** Carried as well; absent from runs older than the budget's own clock. */
  readonly clock?: ClockReading;
  /** Events that the run before did not take in. */
  readonly happened?: readonly BudgetEvent[];
}

/** A budget at the time of a grant or an end. */
export interface BudgetView {
  /** Windows, queues and blocks. Do not change it. */
  readonly state: Budget;
  /** ms, by the clock of the budget. */
  readonly now: number;
}

/** The end of something that was granted. */
export interface EndedGrant {
  /** How it counts. */
  readonly closing: Closing;
  /**
   * Notifies the requester; absent when that is not needed. The budget does not continue as new before this is done.
   */
  readonly report?: () => Promise<void>;
}

/** What a budget is called, for people. */
export interface BudgetName {
  /** What it limits. */
  readonly service: string;
  /** Where that is. */
  readonly address: string;
}

/** Messages that were sent. Each resolves when it is delivered, or cannot be, and never rejects. */
export type Messages = readonly Promise<void>[];

/** Requests that are not queued. */
export interface Refused {
  /** Some of the requests that were given. */
  readonly refused: ReadonlySet<Request>;
  /** One for each of them. */
  readonly answers: Messages;
}

/** What one kind of budget does with what it grants. */
export interface BudgetVerbs<Job extends JobReference> {
  /** For its status. */
  readonly name: BudgetName;
  /** The server's clock (ms), read by an activity. */
  readClock(): Promise<number>;
  /** A steady clock of a machine that submits; null if it cannot be read. */
  readSteadyClock?(): Promise<SteadyReading | null>;
  /** Grants free slots. */
  decide(state: Budget, now: number): DecisionAhead;
  /** Executes a request, at most once. Never rejects: every outcome is a closing. */
  run(grant: Grant<Job>, budget: () => BudgetView): Promise<EndedGrant>;
  /** Its status as the Temporal UI shows it, in markdown. */
  details(status: BudgetStatus): string;
  /** Those of these requests that are not queued, with their answers. */
  refuses?(requests: readonly Request<Job>[], budget: BudgetView): Refused;
  /** How many jobs are unfinished, where that number has a bound. */
  countUnfinished?(): Promise<number>;
  /** These have left the queue. */
  granted?(grants: readonly Grant<Job>[], state: Budget): Messages;
  /** Of this run of a campaign, nothing waits and no submission is in progress any more. */
  withdrawn?(run: CampaignRun): Promise<void>;
  /** All requests have been refused since a time (ms), with this message. Not waited for: it may take minutes. */
  refused?(since: number, reason: string): void;
}
