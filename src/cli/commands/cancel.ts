/** `hundredfold cancel NAME`: durable, because it is a message to the campaign's workflow. */
import { abandonCampaign, endCampaign, endFailing } from '../../runner/control.ts';
import { answered } from '../../runner/session.ts';
import { isUnreplayable } from '../../runner/follow.ts';
import type { Observed } from '../../runner/observe.ts';
import { EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { Campaign } from '../../runner/campaign.ts';
import { followToEnd } from '../session/conclusion.ts';
import type { CampaignLine } from '../../runner/find.ts';
import { sayEnded } from './pause.ts';
import { findMeant, withCampaign, type Around } from '../session.ts';
import { say } from '../text/explain.ts';

interface CancelFlags extends CommonFlags {
  /** The output tree is permanently lost: do not wait for anything that would be written to it. */
  readonly abandon?: boolean;
}

export async function cancel(name: string, flags: CancelFlags): Promise<number> {
  const end = (session: Session, found: CampaignLine, around: Around) =>
    cancelled(found, flags, session, around);
  return withCampaign(await findMeant(name, flags), 'work', end, true);
}

async function cancelled(
  found: CampaignLine,
  flags: CancelFlags,
  session: Session,
  around: Around,
): Promise<number> {
  const { name, out } = found;
  if (!found.open) {
    sayEnded(found);
    return EXIT.ok;
  }
  const followed = { name, folder: out };
  if (flags.abandon === true) {
    await answered(abandonCampaign(session, followed, say));
    return EXIT.ok;
  }
  const ended = await endCampaign(session, followed, say);
  if (ended.end === 'failing') sayHowToStartAgain();
  if (ended.end !== 'cancelled') return EXIT.ok;
  const { obstacle } = ended;
  say(`${name} is cancelled. Slots that were used stay used.`);
  if (obstacle !== null) {
    const lost = ` If the tree is lost, run "hundredfold cancel ${name} --abandon".`;
    say(`  Waiting for its output tree: ${obstacle}${lost}`);
  }
  if (session.role !== 'host') return EXIT.ok;
  return seeOut(session, followed, flags, around);
}

/** No other process works on it, so this command does until the tables of the finished items are written. */
async function seeOut(
  session: Session,
  followed: Observed,
  flags: CommonFlags,
  { interruption, settings }: Around,
): Promise<number> {
  try {
    const { name, folder: out } = followed;
    const { signal } = interruption;
    const campaign = new Campaign({ session, settings, options: flags, name, out, signal });
    const code = await followToEnd(campaign, flags, interruption);
    return code === EXIT.cancelled ? EXIT.ok : code;
  } catch (error) {
    if (!isUnreplayable(error)) throw error;
    // On a busy machine, the first attempt of a task may come after the check in `endCampaign`.
    await answered(endFailing(session, followed, say));
    sayHowToStartAgain();
    return EXIT.ok;
  }
}

function sayHowToStartAgain(): void {
  say(`  Its "hundredfold run" command starts it again with what is on disk.`);
}
