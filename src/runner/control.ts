/** Pause, resume and cancel: durable, because each is a message to the campaign’s workflow. How a campaign ends that is cancelled. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { isElsewhere } from '../activities/retry.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/campaign.ts';
import type { Session } from '../temporal/host/session.ts';
import { findStuck } from '../temporal/stuck.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { describeCampaign, findCampaign, getCampaignHandle, readCampaignLine } from './find.ts';
import { endObsolete } from './launch.ts';
import { waitUntilSettled } from './observe.ts';
import { findTreeFault } from './obstacles.ts';
import {
  waitForAnswer,
  type ConfigurationOptions,
  ignoreNotices,
  lookInSession,
  type OnNotice,
  readSettings,
  throwIfInterrupted,
} from './session.ts';

/** How a campaign is controlled by its name. */
export interface ControlOptions extends ConfigurationOptions {
  /** Gets each line for people: what became of it. */
  readonly onNotice?: OnNotice;
  /** Aborted before the campaign was found: nothing is sent. */
  readonly signal?: AbortSignal;
}

/** What `resume` resumes. */
export interface ResumeOptions extends ControlOptions {
  /** Only this service: one that was paused because its items fail for the same reason. Default: the whole campaign. */
  readonly service?: ServiceName;
}

/**
 * Pauses a campaign: it submits no more jobs, and fetches the results of submitted jobs. Durable: if no process works
 * on the campaign now, it takes effect with the next one.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function pause(name: string, options: ControlOptions = {}): Promise<boolean> {
  const words = `${name} is paused: no new submissions; results of submitted jobs are still fetched. "hundredfold resume ${name}" continues it.`;
  return send(name, options, words, (campaign) => campaign.signal(pauseSignal));
}

/**
 * Resumes a paused campaign. Durable, as `pause`.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function resume(name: string, options: ResumeOptions = {}): Promise<boolean> {
  const { service } = options;
  const words = service === undefined ? `${name} continues.` : `${name} continues with ${service}.`;
  return send(name, options, words, (campaign) => campaign.signal(resumeSignal, service));
}

/**
 * Cancels a campaign: its open items become `cancelled`, and the tables of the finished items are written by the
 * process that works on it, or by the next one that does. Used slots stay used. Durable, as `pause`.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function cancel(name: string, options: ControlOptions = {}): Promise<boolean> {
  return send(name, options, describeCancelled(name), (campaign) => campaign.cancel());
}

async function send(
  name: string,
  options: ControlOptions,
  words: string,
  message: (campaign: WorkflowHandle) => Promise<unknown>,
): Promise<boolean> {
  const { onNotice = ignoreNotices, signal } = options;
  const settings = readSettings(options, { tokens: 'optional' });
  return lookInSession(settings, options, async ({ client, role }) => {
    throwIfInterrupted(signal);
    const { open, state } = await findCampaign(client, name, settings.storeUrl);
    if (!open) {
      onNotice(describeEnded(name, state));
      return false;
    }
    const campaign = getCampaignHandle(client, name);
    await message(campaign);
    await waitUntilTaken(campaign);
    onNotice(words);
    if (role === 'host')
      onNotice('  No command works on it now; this takes effect with the next one.');
    return true;
  });
}

/**
 * Until a message was taken, `status` would show the state before. Also, the worker of this process may have the task: if
 * it ended now, the server would wait several seconds for it.
 */
export async function waitUntilTaken(campaign: WorkflowHandle): Promise<void> {
  await waitUntilSettled(campaign, 2);
}

function describeCancelled(name: string): string {
  return `${name} is cancelled. Slots that were used stay used.`;
}

function describeEnded(name: string, state: string): string {
  return `${name} has already ended (${state}).`;
}

/** Why, as the end of a sentence; null if its tasks are done or still may be. Takes seconds only if they are not. */
export async function explainTaskFailure(client: Client, name: string): Promise<string | null> {
  const found = await waitUntilSettled(getCampaignHandle(client, name));
  const stuck = await findStuck(client, found, Date.now());
  // It processes no message, and would never end.
  if (stuck?.type === 'unreplayable') return 'its history cannot be replayed';
  return stuck?.type === 'failing' ? `its tasks fail (${stuck.message})` : null;
}

/**
 * Cancels a campaign, and looks whether it can end by itself: one that has lost its tree, or whose workflow does no task,
 * is ended at once. A user waits for the answer.
 * @param abandon ends it at once, because its tree is permanently lost; nothing is written
 * @returns whether it ends by itself, once its workers have written the tables
 * @throws HundredfoldError `USAGE`: to be abandoned, but an ordinary `cancel` leaves complete tables
 */
export async function endCampaign(
  session: Session,
  name: string,
  onNotice: OnNotice,
  abandon = false,
): Promise<boolean> {
  const { client, role } = session;
  const found = await describeCampaign(client, name);
  const { open, out: folder, state } = readCampaignLine(found);
  if (!open) {
    onNotice(describeEnded(name, state));
    return false;
  }
  // Only the user knows whether a worker of a remote Temporal has the tree that this machine does not have.
  const looks = abandon || role !== 'remote';
  const fault = looks ? await waitForAnswer(findTreeFault(client, folder, found)) : null;
  if (abandon && fault === null)
    throw new HundredfoldError(
      'USAGE',
      `${folder} is the output tree of ${name}, and it is available`,
      `Run "hundredfold cancel ${name}" without --abandon: it writes the tables of the finished items.`,
    );
  const end = async (reason?: string): Promise<false> => {
    await waitForAnswer(endObsolete(session, name, onNotice, reason));
    return false;
  };
  if (fault !== null) {
    // A folder without permission, or a bucket that does not answer, has the results.
    const isLost: boolean = isElsewhere(fault);
    if (abandon && !isLost) throw fault;
    onNotice(`${fault.message} ${fault.remedy}`);
    // Once cancelled, it would wait forever: it cannot write the ends of its items.
    if (isLost) return end();
  }
  await waitForAnswer(getCampaignHandle(client, name).cancel());
  const failing = role === 'remote' ? null : await waitForAnswer(explainTaskFailure(client, name));
  if (failing !== null) {
    await end(failing);
    onNotice('  Its "hundredfold run" command starts it again with what is on disk.');
    return false;
  }
  onNotice(describeCancelled(name));
  return true;
}
