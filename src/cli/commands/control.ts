/** `hundredfold watch`, `pause`, `resume` and `cancel`: the last three are durable, because each is a message to the workflow. */
import { Command, Option } from 'commander';
import { checkName } from '../../domain/name.ts';
import type { Client } from '@temporalio/client';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import type { Session } from '../../temporal/host/session.ts';
import { Campaign } from '../../runner/index.ts';
import {
  abandonCampaign,
  endCampaign,
  pauseCampaign,
  resumeCampaign,
  sendIfOpen,
  type CampaignLine,
  waitForAnswer,
} from '../../runner/command-line.ts';
import { listServiceNames } from '../../services/registry.ts';
import { followToEnd } from '../conclusion.ts';
import { type CommandContext, loadCommandSettings, findMeant, withCampaign } from '../session.ts';
import { say } from '../terminal.ts';
import { call, checkChoice, NEWEST, suggest, type Flags } from '../options.ts';

export const commands = [
  new Command('watch')
    .description('show a live view of a campaign until it ends')
    .argument('[name]', NEWEST, checkName)
    .action(call(watch)),
  new Command('pause')
    .description('pause a campaign: submit nothing until it is resumed')
    .argument('<name>', '', checkName)
    .action(call(pause)),
  new Command('resume')
    .description('resume a paused campaign')
    .argument('<name>', '', checkName)
    .addOption(
      suggest(
        new Option(
          '--service <service>',
          'only this service, which was paused because its items kept failing',
        ),
        listServiceNames(),
      ),
    )
    .action(call(resume)),
  new Command('cancel')
    .description('cancel a campaign; slots that were used stay used')
    .argument('<name>', '', checkName)
    .option('--abandon', 'end it at once, without tables, because its output tree is lost')
    .action(call(cancel)),
];

async function watch(given: string | undefined, flags: Flags): Promise<number> {
  const meant = await findMeant(given, flags);
  return withCampaign(meant, 'work', (session, found, context) => {
    const command = `hundredfold watch ${found.name}`;
    return followCampaign(session, found, { ...meant.flags, command }, context);
  });
}

async function followCampaign(
  session: Session,
  { name, out }: CampaignLine,
  flags: Flags,
  { interruption, settings }: CommandContext,
): Promise<number> {
  const { signal } = interruption;
  const campaign = new Campaign({ session, settings, options: flags, name, out, signal });
  return followToEnd(campaign, flags, interruption);
}

async function pause(name: string, flags: Flags): Promise<number> {
  const words = `${name} is paused: no new submissions; results of submitted jobs are still fetched. \`hundredfold resume\` continues it.`;
  return send(name, flags, words, (client) => pauseCampaign(client, name));
}

async function resume(name: string, flags: Flags): Promise<number> {
  const { service } = flags;
  loadCommandSettings(flags, { tokens: 'optional' });
  checkChoice('--service', service, listServiceNames());
  const words = service === undefined ? `${name} continues.` : `${name} continues with ${service}.`;
  return send(name, flags, words, (client) => resumeCampaign(client, name, service));
}

const NOBODY_WORKS = '  No command works on it now; this takes effect with the next one.';

/** @param words printed once the message was sent */
async function send(
  name: string,
  flags: Flags,
  words: string,
  message: (client: Client) => Promise<void>,
): Promise<number> {
  return withCampaign(await findMeant(name, flags), 'look', async (session) => {
    const found = await sendIfOpen(session, name, message);
    if (!found.open) printEnded(found);
    else {
      say(words);
      if (session.role === 'host') say(NOBODY_WORKS);
    }
    return EXIT.ok;
  });
}

function printEnded({ name, state }: CampaignLine): void {
  say(`${name} has already ended (${state}).`);
}

async function cancel(name: string, flags: Flags): Promise<number> {
  const end = (session: Session, found: CampaignLine, context: CommandContext) =>
    cancelCampaign(found, flags, session, context);
  return withCampaign(await findMeant(name, flags), 'work', end, true);
}

async function cancelCampaign(
  found: CampaignLine,
  flags: Flags,
  session: Session,
  context: CommandContext,
): Promise<number> {
  const { name, out } = found;
  if (!found.open) {
    printEnded(found);
    return EXIT.ok;
  }
  const followed = { name, folder: out };
  if (flags.abandon === true) {
    await waitForAnswer(abandonCampaign(session, followed, say));
    return EXIT.ok;
  }
  const ended = await endCampaign(session, followed, say);
  if (ended.end === 'failing')
    say('  Its "hundredfold run" command starts it again with what is on disk.');
  if (ended.end !== 'cancelled') return EXIT.ok;
  const { obstacle } = ended;
  say(`${name} is cancelled. Slots that were used stay used.`);
  if (obstacle !== null) {
    const lost = ` If the tree is lost, run "hundredfold cancel ${name} --abandon".`;
    say(`  Waiting for its output tree: ${obstacle}${lost}`);
  }
  if (session.role !== 'host') return EXIT.ok;
  // No other process works on it, so this command does until the tables of the finished items are written.
  try {
    const code = await followCampaign(session, found, flags, context);
    return code === EXIT.cancelled ? EXIT.ok : code;
  } catch (error) {
    const isUnreplayable =
      error instanceof HundredfoldError && error.code === 'CAMPAIGN_UNREPLAYABLE';
    if (!isUnreplayable) throw error;
    // On a busy machine, its first task fails after `endCampaign` has looked for that. It sees it now.
    return cancelCampaign(found, flags, session, context);
  }
}
