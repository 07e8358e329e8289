/** `hundredfold resume NAME`: durable, because it is a message to the campaign's workflow. */
import { resumeCampaign } from '../../runner/control.ts';
import type { ServiceName } from '../../domain/item.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { serviceNames } from '../../services/registry.ts';
import { checkChoice, commandSettings } from '../session/command-settings.ts';
import { sendToCampaign } from '../session/open-campaign.ts';

interface ResumeFlags extends CommonFlags {
  readonly service?: ServiceName;
}

export async function resume(name: string, flags: ResumeFlags): Promise<number> {
  const { service } = flags;
  commandSettings(flags, { tokens: 'optional' });
  checkChoice('--service', service, serviceNames());
  const words = service === undefined ? `${name} continues.` : `${name} continues with ${service}.`;
  return sendToCampaign(name, flags, words, (client) => resumeCampaign(client, name, service));
}
