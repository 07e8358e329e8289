/** `hundredfold watch`, `pause`, `resume` and `cancel`: the last three are durable, because each is a message to the workflow. */
import { Command, Option } from 'commander';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import {
  type Campaign,
  pause as pauseCampaign,
  resume as resumeCampaign,
  endCampaign,
  HOST_TIMEOUT_MS,
  openCampaign,
} from '../../runner/command-line.ts';
import { listServiceNames } from '../../services/registry.ts';
import { followToEnd } from '../conclusion.ts';
import { Interruption } from '../interruption.ts';
import { loadCommandSettings, findMeant } from '../session.ts';
import { logToTerminal, say } from '../terminal.ts';
import { call, checkKnown, NEWEST, suggest, type Flags, createNameArgument } from '../options.ts';

export const commands = [
  new Command('watch')
    .description('show a live view of a campaign until it ends')
    .addArgument(createNameArgument('[name]', NEWEST))
    .action(call(watch)),
  new Command('pause')
    .description('pause a campaign: submit nothing until it is resumed')
    .addArgument(createNameArgument('<name>'))
    .action(call((name: string, flags: Flags) => sendTo(name, pauseCampaign, flags))),
  new Command('resume')
    .description('resume a paused campaign')
    .addArgument(createNameArgument('<name>'))
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
    .addArgument(createNameArgument('<name>'))
    .option('--abandon', 'end it at once, without tables, because its output tree is lost')
    .action(call(cancel)),
];

async function watch(given: string | undefined, typed: Flags): Promise<number> {
  const { name, flags } = await findMeant(given, typed);
  const interruption = new Interruption();
  await using campaign = await openCampaign(name, buildOptions(flags, interruption));
  return await followToEnd(
    campaign,
    { ...flags, command: `hundredfold watch ${name}` },
    interruption,
  );
}

function buildOptions(flags: Flags, { signal }: Interruption) {
  return { ...flags, ...logToTerminal(), signal, onNotice: say };
}

async function sendTo(name: string, send: typeof pauseCampaign, typed: Flags): Promise<number> {
  const { flags } = await findMeant(name, typed);
  await send(name, buildOptions(flags, new Interruption({ submits: false })));
  return EXIT.ok;
}

async function resume(name: string, flags: Flags): Promise<number> {
  loadCommandSettings(flags);
  if (flags.service !== undefined) checkKnown('service', [flags.service], listServiceNames());
  return sendTo(name, resumeCampaign, flags);
}

async function cancel(name: string, typed: Flags): Promise<number> {
  const { flags } = await findMeant(name, typed);
  const interruption = new Interruption();
  const options = buildOptions(flags, interruption);
  await using campaign = await openCampaign(name, options, HOST_TIMEOUT_MS);
  return await cancelAndFollow(campaign, flags, interruption);
}

/** If no other process works on it, this command does until the tables of the finished items are written. */
async function cancelAndFollow(
  campaign: Campaign,
  flags: Flags,
  interruption: Interruption,
): Promise<number> {
  const { name, session } = campaign;
  const goesOn = await endCampaign(session, name, say, flags.abandon);
  if (!goesOn || session.role !== 'host') return EXIT.ok;
  try {
    const code = await followToEnd(campaign, flags, interruption);
    return code === EXIT.cancelled ? EXIT.ok : code;
  } catch (error) {
    const isUnreplayable =
      error instanceof HundredfoldError && error.code === 'CAMPAIGN_UNREPLAYABLE';
    if (!isUnreplayable) throw error;
    // On a busy machine, its first task fails after `endCampaign` has looked for that. It sees it now.
    return cancelAndFollow(campaign, flags, interruption);
  }
}
