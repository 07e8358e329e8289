/** `hundredfold pause|resume|cancel NAME`: durable, because each is a message to the campaign's workflow. */
import type { Client } from '@temporalio/client';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import type { Session } from '../host/session.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../campaigns/control.ts';
import { findCampaign } from '../campaigns/find.ts';
import { conclude } from './conclusion.ts';
import { say } from './explain.ts';
import { follow } from './follow.ts';
import { endObsolete } from '../campaigns/obsolete.ts';
import { isTreeHere, treeObstacleOf } from '../campaigns/tree-obstacle.ts';
import type { Observed } from '../campaigns/observe.ts';
import type { CommonFlags } from './flags.ts';
import { answered, withSession, type Around } from './with-session.ts';

export interface CancelFlags extends CommonFlags {
  /** The output tree is gone for good: nothing is waited for that would be written there. */
  readonly abandon?: boolean;
}

export interface ResumeFlags extends CommonFlags {
  readonly service?: ServiceName;
}

export async function pause(name: string, flags: CommonFlags): Promise<number> {
  const words = `${name} is paused: nothing more is submitted; what was submitted is fetched. \`hundredfold resume\` lets it go on.`;
  return controlled(name, flags, words, (client) => pauseCampaign(client, name));
}

export async function resume(name: string, flags: ResumeFlags): Promise<number> {
  const { service } = flags;
  const words = service === undefined ? `${name} goes on.` : `${name} goes on with ${service}.`;
  return controlled(name, flags, words, (client) => resumeCampaign(client, name, service));
}

async function controlled(
  name: string,
  flags: CommonFlags,
  words: string,
  send: (client: Client) => Promise<void>,
): Promise<number> {
  return withSession(flags, 'look', async (session) => {
    if ((await openCampaign(session, name)) === null) return EXIT.ok;
    await send(session.client);
    say(words);
    if (session.role === 'host') say(NOBODY_WORKS);
    return EXIT.ok;
  });
}

export async function cancel(name: string, flags: CancelFlags): Promise<number> {
  const end = (session: Session, around: Around) => cancelled(name, flags, session, around);
  return withSession(flags, 'work', end, true);
}

async function cancelled(
  name: string,
  flags: CancelFlags,
  session: Session,
  around: Around,
): Promise<number> {
  const found = await openCampaign(session, name);
  if (found === null) return EXIT.ok;
  const followed = { name, folder: found.out };
  if (flags.abandon === true) return answered(abandon(session, followed));
  const handle = session.client.workflow.getHandle(campaignWorkflowId(name));
  const obstacle = await answered(
    (async () => treeObstacleOf({ session, ...followed }, await handle.describe()))(),
  );
  // Cancelled, it would wait for ever: it cannot write the ends of its items.
  if (obstacle !== null && session.role !== 'remote') {
    say(obstacle);
    await answered(endObsolete(session, name, say));
    return EXIT.ok;
  }
  await answered(cancelCampaign(session.client, name));
  say(`${name} is cancelled. What was spent of the budget stays spent.`);
  // Whether a worker has the tree that we do not have, only the user knows.
  if (obstacle !== null) say(`  It waits for its output tree: ${obstacle}${ABANDON(name)}`);
  if (session.role !== 'host') return EXIT.ok;
  return seeOut(session, followed, flags, around);
}

/** null, and a word to the user, when the campaign has ended. */
async function openCampaign(session: Session, name: string): Promise<{ out: string } | null> {
  const { open, state, out } = await answered(findCampaign(session.client, name));
  if (open) return { out };
  say(`${name} has ended already (${state}).`);
  return null;
}

/** @throws HundredfoldError `TREE_IS_HERE`: an ordinary `cancel` leaves complete tables */
async function abandon(
  session: Session,
  { name, folder }: Pick<Observed, 'name' | 'folder'>,
): Promise<number> {
  const { memo } = await session.client.workflow.getHandle(campaignWorkflowId(name)).describe();
  if (await isTreeHere(folder, memo?.['tree'])) {
    throw new HundredfoldError({
      code: 'TREE_IS_HERE',
      message: `${folder} is the output tree of ${name}, and it is here`,
      remedy: `Type "hundredfold cancel ${name}" without --abandon: it writes the tables of what was done.`,
      exitCode: EXIT.refused,
    });
  }
  await endObsolete(session, name, say);
  return EXIT.ok;
}

/** Nobody else works on it: this command does, until the tables of what was done are written. */
async function seeOut(
  session: Session,
  followed: Observed,
  flags: CommonFlags,
  { interruption, settings }: Around,
): Promise<number> {
  const to = await follow(session, followed, interruption);
  const code = await conclude(session, followed, to, { flags, settings });
  return code === EXIT.cancelled ? EXIT.ok : code;
}

const NOBODY_WORKS = '  No command works on it now; it holds from the next one on.';

const ABANDON = (name: string): string =>
  ` If the tree is gone for good, type "hundredfold cancel ${name} --abandon".`;
