/** `hundredfold cancel NAME`: durable, because it is a message to the campaign's workflow. */
import { codedError, EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import { campaignWorkflowId } from '../../workflows/names.ts';
import { cancelCampaign } from '../../campaigns/control.ts';
import { conclude } from '../session/conclusion.ts';
import { say } from '../text/explain.ts';
import { follow } from '../live/follow.ts';
import { endObsolete } from '../../campaigns/obsolete.ts';
import { whyTasksFail } from '../../campaigns/failing-tasks.ts';
import { isTreeHere, treeObstacleOf } from '../../campaigns/tree-obstacle.ts';
import type { Observed } from '../../campaigns/observe.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { openCampaign } from '../session/open-campaign.ts';
import { withSession, type Around } from '../session/with-session.ts';
import { answered } from '../../campaigns/in-session.ts';

interface CancelFlags extends CommonFlags {
  /** The output tree is permanently lost: do not wait for anything that would be written to it. */
  readonly abandon?: boolean;
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
  // Once cancelled, it would wait forever: it cannot write the ends of its items.
  if (obstacle !== null && session.role !== 'remote') {
    say(obstacle);
    await answered(endObsolete(session, name, say));
    return EXIT.ok;
  }
  await answered(cancelCampaign(session.client, name));
  const failing =
    session.role === 'remote' ? null : await answered(whyTasksFail(session.client, name));
  if (failing !== null) {
    await answered(endObsolete(session, name, say, failing));
    say(`  Its "hundredfold run" command starts it again with what is on disk.`);
    return EXIT.ok;
  }
  say(`${name} is cancelled. Slots that were used stay used.`);
  // Only the user knows whether a worker has the tree that this machine does not have.
  if (obstacle !== null) say(`  Waiting for its output tree: ${obstacle}${ABANDON(name)}`);
  if (session.role !== 'host') return EXIT.ok;
  return seeOut(session, followed, flags, around);
}

/** @throws HundredfoldError `TREE_IS_HERE`: an ordinary `cancel` leaves complete tables */
async function abandon(
  session: Session,
  { name, folder }: Pick<Observed, 'name' | 'folder'>,
): Promise<number> {
  const { memo } = await session.client.workflow.getHandle(campaignWorkflowId(name)).describe();
  if (await isTreeHere(folder, memo?.['tree'])) {
    throw codedError('TREE_IS_HERE', { folder, name });
  }
  await endObsolete(session, name, say);
  return EXIT.ok;
}

/** Nothing else works on it, so this command does until the tables of the finished items are written. */
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

const ABANDON = (name: string): string =>
  ` If the tree is lost, run "hundredfold cancel ${name} --abandon".`;
