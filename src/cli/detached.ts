/** What a command says that leaves its campaign to others. */
import { EXIT } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { findCampaign } from './campaigns.ts';
import { print } from './conclusion.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './flags.ts';
import type { Followed } from './view.ts';
import { observe } from './observe.ts';
import { openDocument } from './open-document.ts';
import { uiLink } from './ui-link.ts';

export async function detached(
  session: Session,
  { name, folder }: Followed,
  { json }: CommonFlags,
): Promise<number> {
  if (json) {
    const campaign = await findCampaign(session.client, name);
    print(await openDocument(session, campaign, await observe(session, name)));
  }
  if (session.role === 'remote') {
    say(`${name} is started, into ${folder}. It goes on as long as a worker runs for it:`);
    say(`  hundredfold worker    is one; hundredfold watch ${name}    shows it.`);
  } else {
    say(`${name} runs in the background, into ${folder}.`);
    say(`  hundredfold watch ${name}    shows it; hundredfold stop stops the server.`);
  }
  if (session.ui) say(`  Every item in the Temporal UI: ${uiLink(session.ui, name)}`);
  return EXIT.ok;
}
