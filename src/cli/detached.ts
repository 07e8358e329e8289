/** How a command leaves its campaign to others, and what it says then. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { readRecord } from '../host/record.ts';
import type { Session } from '../host/session.ts';
import { backgroundRuns, startInBackground } from './background.ts';
import { findCampaign } from '../campaigns/find.ts';
import { say } from './explain.ts';
import type { ServiceFlags } from './flags.ts';
import { observe, type Observed } from '../campaigns/observe.ts';
import { openDocument } from '../campaigns/open-document.ts';
import { printDocument } from './output.ts';
import { uiLink } from './ui-link.ts';

/**
 * The campaign goes on in the background. A command that works on it hands over server and worker, once all that is
 * being sent has been answered; one that has only started it finds somebody there, most often.
 * @throws HundredfoldError `HOST_NOT_READY`
 */
export async function detach(
  session: Session,
  followed: Observed,
  { settings, flags }: { readonly settings: Settings; readonly flags: ServiceFlags },
): Promise<number> {
  const { role, ui } = session;
  if (flags.json) await printOpen(session, followed);
  // Rows may have taken so long to be laid out that the process which waited for them has given up.
  if (role !== 'remote') await startInBackground(settings, flags);
  if (role === 'host') {
    say('Handing over to the background: what is being sent is waited for.');
    await session.close();
    await takenOver(settings);
  }
  sayWhoGoesOn(role === 'remote', followed, ui);
  return EXIT.ok;
}

async function printOpen(session: Session, followed: Observed): Promise<void> {
  const campaign = await findCampaign(session.client, followed.name);
  printDocument(await openDocument(session, campaign, await observe(session, followed)));
}

const TAKEN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** A process that had waited for us holds the folder's server now. */
async function takenOver(settings: Settings): Promise<void> {
  const { embeddedDir } = settings;
  const end = Date.now() + TAKEN_WITHIN_MS;
  const taken = () =>
    readRecord(embeddedDir, 'host')?.pid === readRecord(embeddedDir, 'background')?.pid;
  while (!(backgroundRuns(settings) && taken())) {
    if (Date.now() > end) {
      throw new HundredfoldError({
        code: 'HOST_NOT_READY',
        message: 'the background process did not take the campaign over',
        remedy: 'Nothing is lost: the "hundredfold run" command of this campaign goes on with it.',
      });
    }
    await delay(LOOK_EVERY_MS);
  }
}

function sayWhoGoesOn(remote: boolean, { name, folder }: Observed, ui: string | null): void {
  if (remote) {
    say(`${name} is started, into ${folder}. It goes on as long as a worker runs for it:`);
    say(`  hundredfold worker    is one; hundredfold watch ${name}    shows it.`);
  } else {
    say(`${name} runs in the background, into ${folder}.`);
    say(`  hundredfold watch ${name}    shows it; hundredfold stop stops the server.`);
  }
  if (ui) say(`  Every item in the Temporal UI: ${uiLink(ui, name)}`);
}
