/** `hundredfold pause` and `resume`: durable, because each is a message to the campaign's workflow. */
import type { Client } from '@temporalio/client';
import { EXIT } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/item.ts';
import { pauseCampaign, resumeCampaign, sendIfOpen } from '../../runner/control.ts';
import type { CampaignLine } from '../../runner/find.ts';
import { serviceNames } from '../../services/registry.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { checkChoice, commandSettings, findMeant, withCampaign } from '../session.ts';
import { say } from '../text/explain.ts';

interface ResumeFlags extends CommonFlags {
  readonly service?: ServiceName;
}

export async function pause(name: string, flags: CommonFlags): Promise<number> {
  const words = `${name} is paused: no new submissions; results of submitted jobs are still fetched. \`hundredfold resume\` continues it.`;
  return send(name, flags, words, (client) => pauseCampaign(client, name));
}

export async function resume(name: string, flags: ResumeFlags): Promise<number> {
  const { service } = flags;
  commandSettings(flags, { tokens: 'optional' });
  checkChoice('--service', service, serviceNames());
  const words = service === undefined ? `${name} continues.` : `${name} continues with ${service}.`;
  return send(name, flags, words, (client) => resumeCampaign(client, name, service));
}

const NOBODY_WORKS = '  No command works on it now; this takes effect with the next one.';

/** @param words printed once the message was sent */
async function send(
  name: string,
  flags: CommonFlags,
  words: string,
  message: (client: Client) => Promise<void>,
): Promise<number> {
  return withCampaign(await findMeant(name, flags), 'look', async (session) => {
    const found = await sendIfOpen(session, name, message);
    if (!found.open) sayEnded(found);
    else {
      say(words);
      if (session.role === 'host') say(NOBODY_WORKS);
    }
    return EXIT.ok;
  });
}

export function sayEnded({ name, state }: CampaignLine): void {
  say(`${name} has already ended (${state}).`);
}
