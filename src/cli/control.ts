/** `hundredfold pause|resume|cancel NAME`: durable, because each is a message to the campaign's workflow. */
import { EXIT } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { findCampaign } from './campaigns.ts';
import { conclude } from './conclusion.ts';
import { say } from './explain.ts';
import { follow } from './follow.ts';
import { endObsolete } from './obsolete.ts';
import { treeObstacleOf } from './tree-obstacle.ts';
import type { Observed } from './observe.ts';
import type { CommonFlags } from './flags.ts';
import { answered, withSession, type Around } from './with-session.ts';

export type Verb = 'pause' | 'resume' | 'cancel';

export async function control(verb: Verb, name: string, flags: CommonFlags): Promise<number> {
  const purpose = verb === 'cancel' ? 'work' : 'look';
  const steer = (session: Session, around: Around) => steered(verb, name, flags, session, around);
  return withSession(flags, purpose, steer, true);
}

async function steered(
  verb: Verb,
  name: string,
  flags: CommonFlags,
  session: Session,
  around: Around,
): Promise<number> {
  const { open, state, out } = await answered(findCampaign(session.client, name));
  if (!open) {
    say(`${name} has ended already (${state}).`);
    return EXIT.ok;
  }
  const handle = session.client.workflow.getHandle(campaignWorkflowId(name));
  if (verb !== 'cancel') {
    await handle.signal(verb === 'pause' ? pauseSignal : resumeSignal);
    say(`${name} ${SAID[verb]}`);
    if (session.role === 'host') say(NOBODY_WORKS);
    return EXIT.ok;
  }
  if (await answered(endWithoutTree(session, { name, folder: out }))) return EXIT.ok;
  await answered(handle.cancel());
  say(`${name} is cancelled. What was spent of the budget stays spent.`);
  if (session.role !== 'host') return EXIT.ok;
  return seeOut(session, { name, folder: out }, flags, around);
}

/**
 * A campaign whose tree was removed, or taken over by another Temporal, cannot write the ends of its items: cancelled, it
 * would wait for ever. False where the tree is its own, or lies on other machines.
 */
async function endWithoutTree(
  session: Session,
  { name, folder }: Pick<Observed, 'name' | 'folder'>,
): Promise<boolean> {
  if (session.role === 'remote') return false;
  const found = await session.client.workflow.getHandle(campaignWorkflowId(name)).describe();
  const reason = await treeObstacleOf({ session, name, folder }, found);
  if (reason === null) return false;
  say(reason);
  await endObsolete(session, name);
  return true;
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

const SAID: Readonly<Record<Exclude<Verb, 'cancel'>, string>> = {
  pause:
    'is paused: nothing more is submitted; what was submitted is fetched. `hundredfold resume` lets it go on.',
  resume: 'goes on.',
};

const NOBODY_WORKS = '  No command works on it now; it holds from the next one on.';
