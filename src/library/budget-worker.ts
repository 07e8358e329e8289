/**
 * The part of the rolling-window rate limit for workers and clients; workflow code imports `hundredfold/budget`.
 *
 * @packageDocumentation
 */
import type { Client } from '@temporalio/client';
import { readClock } from '../activities/read-clock.ts';
import { readSnapshot } from '../activities/budget-status.ts';
import { describe, type WindowStatus } from '../budget/status.ts';
import type { Limit } from '../budget/window.ts';
import { NO_LIMIT } from '../budget/state.ts';
import { rollingWindowId } from '../workflows/limiter/calls.ts';
import type {
  RollingWindowActivities,
  RollingWindowInput,
} from '../workflows/limiter/rolling-window.ts';
import { configureSignal } from '../workflows/messages.ts';

export type { RollingWindowActivities } from '../workflows/limiter/rolling-window.ts';
export type { WindowStatus } from '../budget/status.ts';
export type { Limit } from '../budget/window.ts';

/** Register these activities with the workers of the budget's task queue. */
export const budgetActivities: RollingWindowActivities = { readServerClock: readClock };

/** Limits of one budget. */
export interface RollingWindowOptions {
  /** Name of the budget, for example the host of the service. Its workflow runs as `rolling-window:NAME`. */
  readonly name: string;
  /** Task queue of workers that register the workflow `rollingWindow` and `budgetActivities`. */
  readonly taskQueue: string;
  /** By name of the credential. The name is visible in Temporal; it is not the credential itself. */
  readonly credentials: Readonly<Record<string, CredentialOptions>>;
  /** For all credentials together; default: none. */
  readonly ceiling?: Limit;
}

/** Limit of one credential. */
export interface CredentialOptions extends Limit {
  /** Task queue of the workers that have the credential; default: that of the call, or of the budget. */
  readonly taskQueue?: string;
}

/**
 * Starts the budget of this name, or changes the limits of a running one. It can be called repeatedly: charges are
 * kept. Call it when a worker starts.
 *
 * @throws RangeError for a limit or window that is not a positive number
 */
export async function startRollingWindow(
  client: Client,
  { name, taskQueue, credentials, ceiling = NO_LIMIT }: RollingWindowOptions,
): Promise<void> {
  if (ceiling !== NO_LIMIT) assertLimit('the ceiling', ceiling);
  for (const [credential, limit] of Object.entries(credentials)) assertLimit(credential, limit);
  for (const [credential, { limit, windowMs, taskQueue: submitQueue }] of Object.entries(
    credentials,
  ))
    await client.workflow.signalWithStart('rollingWindow', {
      workflowId: rollingWindowId(name),
      taskQueue,
      args: [{ name }] satisfies [RollingWindowInput],
      // Its tasks come first: the time of an idle slot is lost.
      priority: { priorityKey: 1 },
      workflowTaskTimeout: '5s',
      staticSummary: `rolling window of ${name}`,
      signal: configureSignal,
      signalArgs: [
        {
          credential,
          credentialLimit: { limit, windowMs },
          addressLimit: ceiling,
          ...(submitQueue !== undefined && { submitQueue }),
        },
      ],
    });
}

/** Status of a budget. */
export interface RollingWindowStatus {
  /** Of all credentials together. */
  readonly ceiling: WindowStatus;
  /** By name of the credential. */
  readonly credentials: Readonly<Record<string, WindowStatus>>;
  /** Calls waiting for a slot. */
  readonly waiting: number;
  /** Activities executing now. */
  readonly executing: number;
  /** Since the budget was started. */
  readonly accepted: number;
}

/** Current status of the budget of this name; null when it does not run. Needs no worker. */
export async function readRollingWindow(
  client: Client,
  name: string,
): Promise<RollingWindowStatus | null> {
  const snapshot = await readSnapshot(client, rollingWindowId(name));
  if (snapshot === null) return null;
  const { addressWindow, credentials, waiting, outstanding, counts } = describe(
    snapshot,
    Date.now(),
  );
  return {
    ceiling: addressWindow,
    credentials: Object.fromEntries(credentials.map((status) => [status.credential, status])),
    waiting: waiting.reduce((sum, { items }) => sum + items, 0),
    executing: outstanding,
    accepted: counts.accepted,
  };
}

function assertLimit(of: string, { limit, windowMs }: Limit): void {
  if (limit !== null && !(Number.isInteger(limit) && limit > 0))
    throw new RangeError(`limit of ${of}: expected a positive integer or null, got ${limit}`);
  if (limit !== null && !(windowMs > 0 && Number.isFinite(windowMs)))
    throw new RangeError(`windowMs of ${of}: expected a positive number of ms, got ${windowMs}`);
}
