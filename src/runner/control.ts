/** Pause, resume and cancel: durable, because each is a message to the campaign’s workflow. How a campaign ends that is cancelled. */
import type { Client } from '@temporalio/client';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/campaign.ts';
import type { Session } from '../temporal/host/session.ts';
import { findStuck } from '../temporal/watchdog.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { type CampaignLine, findCampaign } from './find.ts';
import { endObsolete } from './launch.ts';
import { type Observed, waitUntilSettled } from './observe.ts';
import { isTreeHere, findTreeObstacle } from './obstacles.ts';
import {
  waitForAnswer,
  type ConfigurationOptions,
  readEnvironment,
  runInSession,
  logToWorkerLog,
  type OnNotice,
  readSettings,
} from './session.ts';

/** Sends one of the messages below if the campaign is open. Returns its state before. */
export async function sendIfOpen(
  { client }: Session,
  name: string,
  send: (client: Client) => Promise<void>,
): Promise<CampaignLine> {
  const found = await findCampaign(client, name);
  if (!found.open) return found;
  await send(client);
  // Until it was taken, `status` would show the state before. Also, the worker of this process may have the task: if it
  // ended now, the server would wait several seconds for it.
  await waitUntilSettled(client, buildCampaignWorkflowId(name), 2);
  return found;
}

/** Submits nothing more; what was submitted is fetched. */
export async function pauseCampaign(client: Client, name: string): Promise<void> {
  await client.workflow.getHandle(buildCampaignWorkflowId(name)).signal(pauseSignal);
}

/** @param service only there; default: at all services */
export async function resumeCampaign(
  client: Client,
  name: string,
  service?: ServiceName,
): Promise<void> {
  await client.workflow.getHandle(buildCampaignWorkflowId(name)).signal(resumeSignal, service);
}

/** Slots that were used stay used. */
export async function cancelCampaign(client: Client, name: string): Promise<void> {
  await client.workflow.getHandle(buildCampaignWorkflowId(name)).cancel();
}

/** A campaign whose workflow cannot continue: it processes no message, and would never end. */
const NOT_REPLAYABLE = 'its history cannot be replayed';

/** Why, as the end of a sentence; null if its tasks are done or still may be. Takes seconds only if they are not. */
export async function explainTaskFailure(client: Client, name: string): Promise<string | null> {
  const found = await waitUntilSettled(client, buildCampaignWorkflowId(name));
  const stuck = await findStuck(client, found, Date.now());
  if (stuck?.type === 'unreplayable') return NOT_REPLAYABLE;
  return stuck?.type === 'failing' ? `its tasks fail (${stuck.message})` : null;
}

/**
 * `cancelled`: it ends by itself, once it has its tree if there is an `obstacle`. The others were ended at once:
 * `without tree`, because the ends of its items cannot be written; `failing`, because its workflow does no task.
 */
type Cancelled =
  | { readonly end: 'cancelled'; readonly obstacle: string | null }
  | { readonly end: 'without tree' | 'failing' };

/** Of an open campaign. What it did at once is reported as a notice. */
export async function endCampaign(
  session: Session,
  followed: Observed,
  onNotice: OnNotice,
): Promise<Cancelled> {
  const { client, role } = session;
  const { name } = followed;
  const obstacle = await waitForAnswer(findObstacleNow(session, followed));
  // Only the user knows whether a worker of a remote Temporal has the tree that this machine does not have.
  if (obstacle !== null && role !== 'remote') {
    // Once cancelled, it would wait forever: it cannot write the ends of its items.
    onNotice(obstacle);
    await waitForAnswer(endObsolete(session, name, onNotice));
    return { end: 'without tree' };
  }
  await waitForAnswer(cancelCampaign(client, name));
  const failing = role === 'remote' ? null : await waitForAnswer(explainTaskFailure(client, name));
  if (failing === null) return { end: 'cancelled', obstacle };
  await waitForAnswer(endObsolete(session, name, onNotice, failing));
  return { end: 'failing' };
}

async function findObstacleNow(
  session: Session,
  { name, folder }: Observed,
): Promise<string | null> {
  const handle = session.client.workflow.getHandle(buildCampaignWorkflowId(name));
  return findTreeObstacle({ session, name, folder }, await handle.describe());
}

/**
 * Ends a campaign whose tree is permanently lost; nothing is written.
 * @throws HundredfoldError `USAGE`: an ordinary `cancel` leaves complete tables
 */
export async function abandonCampaign(
  session: Session,
  { name, folder }: Observed,
  onNotice: OnNotice,
): Promise<void> {
  const { memo } = await session.client.workflow
    .getHandle(buildCampaignWorkflowId(name))
    .describe();
  if (await isTreeHere(folder, memo?.['tree']))
    throw new HundredfoldError(
      'USAGE',
      `${folder} is the output tree of ${name}, and it is available`,
      `Run "hundredfold cancel ${name}" without --abandon: it writes the tables of the finished items.`,
    );
  await endObsolete(session, name, onNotice);
}

/** What `resume` resumes. */
export interface ResumeOptions extends ConfigurationOptions {
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
export async function pause(name: string, options: ConfigurationOptions = {}): Promise<boolean> {
  return send(name, options, (client) => pauseCampaign(client, name));
}

/**
 * Resumes a paused campaign. Durable, as `pause`.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function resume(name: string, options: ResumeOptions = {}): Promise<boolean> {
  return send(name, options, (client) => resumeCampaign(client, name, options.service));
}

/**
 * Cancels a campaign: its open items become `cancelled`, and the tables of the finished items are written by the
 * process that works on it, or by the next one that does. Used slots stay used. Durable, as `pause`.
 *
 * @param name - name of the campaign
 * @returns whether the campaign was open; an ended one stays as it is
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function cancel(name: string, options: ConfigurationOptions = {}): Promise<boolean> {
  return send(name, options, (client) => cancelCampaign(client, name));
}

async function send(
  name: string,
  options: ConfigurationOptions,
  message: (client: Client) => Promise<void>,
): Promise<boolean> {
  const settings = readSettings(options, { tokens: 'optional' });
  logToWorkerLog(settings);
  const environment = readEnvironment(options);
  return runInSession({ settings, environment, purpose: 'look' }, async (session) => {
    const { open } = await sendIfOpen(session, name, message);
    return open;
  });
}
