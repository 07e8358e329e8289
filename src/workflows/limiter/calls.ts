/** Calls of activities within a rolling window: requests, answers, and their signals. */
import { defineSignal, type ActivityOptions } from '@temporalio/workflow';
import type { JobReference, Request } from '../../budget/request.ts';

/** Id of the workflow that keeps the budget of this name. */
export const rollingWindowId = (name: string): string => `rolling-window:${name}`;

/** What an activity is executed with, from the caller's options. */
export type CallOptions = Pick<
  ActivityOptions,
  'startToCloseTimeout' | 'scheduleToStartTimeout' | 'heartbeatTimeout' | 'taskQueue' | 'summary'
>;

/** One call of an activity, as it waits in the budget. */
export interface Call extends JobReference {
  /** Name of the activity. */
  readonly activity: string;
  readonly args: readonly unknown[];
  /** Length of the arguments as JSON, in characters. */
  readonly size: number;
  readonly options: CallOptions;
  /** Who receives the answer. */
  readonly caller: { readonly workflowId: string; readonly runId: string };
  /** It was requested before, and there is no answer yet. */
  readonly repeated: boolean;
}

export type CallRequest = Request<Call>;

/** How a call has ended, seen from the caller. */
export type CallAnswer =
  | { readonly type: 'returned'; readonly value: unknown }
  /** Certainly not accepted, and not charged. */
  | { readonly type: 'notAccepted'; readonly message: string; readonly details: readonly unknown[] }
  /** It may have been accepted: charged, and not executed again. */
  | { readonly type: 'unknown'; readonly message: string; readonly cause?: string }
  /** Too many calls wait: it is not queued. */
  | { readonly type: 'full' };

/** The id of the call, and how it has ended. */
export const answeredSignal =
  defineSignal<[id: string, answer: CallAnswer]>('hundredfold.answered');
