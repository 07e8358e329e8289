/**
 * Restarts a budget whose workflow cannot continue: its history does not match its code, so no worker can replay it. No
 * slot is spent twice: the jobs in its history and its memo are charged in the new budget, answers that were not
 * delivered to items are delivered now, and waiting items request a slot again.
 *
 * Rejected: letting the workflow fail on non-determinism, which loses the charges, and resetting it, which replays the
 * same event again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ifFound, isReached } from '../activities/if-found.ts';
import type { Payload } from '@temporalio/common';
import { launchItem } from '../activities/launch-item.ts';
import { budgetStart } from '../activities/watch.ts';
import { snapshotIn } from '../activities/budget-status.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { configureSignal, restoreSignal, submittedSignal } from '../workflows/messages.ts';
import { budgetWorkflowId } from '../workflows/names.ts';
import { mostCharges, remainsOf, type Decode } from './budget-remains.ts';
import { Deadline } from '../domain/deadline.ts';

interface BrokenBudget {
  readonly reference: Pick<ServiceReference, 'service' | 'address'>;
  readonly runId: string;
  /** For people: a sentence without its full stop. */
  readonly reason: string;
}

/** After this time (ms) a POST has ended, and its answer is in the history. */
const SUBMISSIONS_END_MS = 50_000;
const LOOK_AGAIN_MS = 1_000;

/** False if another watchdog was faster. */
export async function recoverBudget(
  client: Client,
  taskQueue: string,
  { reference, runId, reason }: BrokenBudget,
): Promise<boolean> {
  const workflowId = budgetWorkflowId(reference);
  const broken = client.workflow.getHandle(workflowId, runId);
  // Wait for submissions in progress: their workers report the answer, and the server keeps it.
  const deadline = new Deadline(SUBMISSIONS_END_MS);
  while (!deadline.hasPassed && (await isSubmitting(broken))) await delay(LOOK_AGAIN_MS);
  const { memo } = await broken.describe();
  const remains = await remainsOf(await broken.fetchHistory(), decoder(client), Date.now());
  const closes = mostCharges(remains.closes, snapshotIn(memo));
  // Only this run: if two watchdogs try, one succeeds.
  if (!(await isReached(broken.terminate(reason)))) return false;
  const restored = { from: runId, at: Date.now(), reason, closes, paused: remains.paused };
  const fresh = await client.workflow.signalWithStart('budget', {
    ...budgetStart(reference, taskQueue),
    signal: restoreSignal,
    signalArgs: [restored],
  });
  for (const limits of remains.configurations) await fresh.signal(configureSignal, limits);
  for (const { item, run, submitted, launch } of remains.unreported) {
    if (launch) {
      const { request, reference: asked, answer } = launch;
      await launchItem({ temporal: client, taskQueue }, request, asked, answer);
    } else await ifFound(client.workflow.getHandle(item, run).signal(submittedSignal, submitted));
  }
  return true;
}

type Handle = ReturnType<Client['workflow']['getHandle']>;

async function isSubmitting(broken: Handle): Promise<boolean> {
  const { raw } = await broken.describe();
  return (raw.pendingActivities ?? []).some(({ activityType }) => activityType?.name === 'submit');
}

function decoder({ options }: Client): Decode {
  const { payloadConverter, payloadCodecs } = options.loadedDataConverter;
  return async (of) => {
    let payloads = (of?.payloads ?? []) as Payload[];
    for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
    return payloads.map((payload) => payloadConverter.fromPayload(payload));
  };
}
