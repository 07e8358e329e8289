/** How a command detaches from its campaign, and what it prints. */
import type { Settings } from '../../config/settings.ts';
import { EXIT } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import { startInBackground, takenOver } from '../../host/background.ts';
import { describeCampaign, lineOf } from '../../runner/find.ts';
import { say } from '../text/explain.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { observe, type Observed, openDocument } from '../../runner/observe.ts';
import { printDocument } from '../text/output.ts';
import { uiLink } from '../text/ui-link.ts';

/**
 * The campaign continues in the background. A command that hosts it hands over server and worker after all requests in
 * progress are answered; one that has only started it usually finds a running host.
 * @throws HundredfoldError `HOST_NOT_READY`
 */
export async function detach(
  session: Session,
  followed: Observed,
  { settings, flags }: { readonly settings: Settings; readonly flags: ServiceFlags },
): Promise<number> {
  const { role, ui } = session;
  if (flags.json) await printOpen(session, followed);
  // Writing the rows may have taken so long that the standby process has stopped waiting.
  if (role !== 'remote') await startInBackground(settings, flags);
  if (role === 'host') {
    say('Moving to the background: finishing submissions in progress.');
    await session.close();
    await takenOver(settings);
  }
  sayWhoGoesOn(role === 'remote', followed, ui);
  return EXIT.ok;
}

async function printOpen(session: Session, followed: Observed): Promise<void> {
  const found = await describeCampaign(session.client, followed.name);
  const seen = await observe(session, followed, found);
  printDocument(await openDocument(session, lineOf(found), seen));
}

function sayWhoGoesOn(remote: boolean, { name, folder }: Observed, ui: string | null): void {
  if (remote) {
    say(`${name} has started; its output is in ${folder}. It continues as long as a worker runs:`);
    say(`  hundredfold worker    starts one; hundredfold watch ${name}    shows progress.`);
  } else {
    say(`${name} runs in the background; its output is in ${folder}.`);
    say(`  hundredfold watch ${name}    shows progress; hundredfold stop stops the server.`);
  }
  if (ui) say(`  All items in the Temporal UI: ${uiLink(ui, name)}`);
}
