/** `hundredfold pause|resume|cancel NAME`: durable, because each is a message to the campaign's workflow. */
import { EXIT } from '../domain/errors.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { findCampaign } from './campaigns.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './main.ts';
import { withSession } from './with-session.ts';

export type Verb = 'pause' | 'resume' | 'cancel';

export async function control(verb: Verb, name: string, flags: CommonFlags): Promise<number> {
  return withSession(flags, async ({ client }) => {
    const { open, state } = await findCampaign(client, name);
    if (!open) {
      say(`${name} has ended already (${state}).`);
      return EXIT.ok;
    }
    const handle = client.workflow.getHandle(campaignWorkflowId(name));
    if (verb === 'cancel') await handle.cancel();
    else await handle.signal(verb === 'pause' ? pauseSignal : resumeSignal);
    say(`${name}: ${SAID[verb]}`);
    return EXIT.ok;
  });
}

const SAID: Readonly<Record<Verb, string>> = {
  pause: 'paused; jobs that were submitted are still fetched. `hundredfold resume` goes on.',
  resume: 'goes on.',
  cancel: 'cancelled; what was spent of the budget stays spent.',
};
