/** What a command says and answers when it stops following a campaign. */
import { ApplicationFailure } from '@temporalio/common';
import type { Settings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import type { campaign } from '../workflows/index.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { openStore } from '../store/open-store.ts';
import { findCampaign } from './campaigns.ts';
import { say } from './explain.ts';
import type { FollowedTo } from './follow.ts';
import type { Observed } from './observe.ts';
import { backgroundRuns } from './background.ts';
import { detach } from './detached.ts';
import { openDocument } from './open-document.ts';
import { endedCampaign } from '../report/campaign-document.ts';
import type { ServiceFlags } from './flags.ts';
import { printDocument } from './output.ts';
import { exitCodeOf, printEnd } from './summary.ts';

export interface ConclusionOptions {
  readonly flags: ServiceFlags;
  readonly settings: Settings;
  /** Every item had ended before the command began. */
  readonly idle?: boolean;
}

/** Returns the exit code. Throws CAMPAIGN_BROKEN_OFF when the campaign did not end by itself. */
export async function conclude(
  session: Session,
  followed: Observed,
  { end, last }: FollowedTo,
  { flags, settings, idle = false }: ConclusionOptions,
): Promise<number> {
  const { name, folder } = followed;
  const json = flags.json ?? false;
  if (end === 'detached') return detach(session, followed, { settings, flags });
  if (end === 'interrupted') {
    if (json && last) {
      const campaign = await findCampaign(session.client, name);
      printDocument(await openDocument(session, campaign, last));
    }
    say(`${name} is safe on disk: the same command goes on with it.`);
    if (backgroundRuns(settings))
      say('  The background process goes on with it now; `hundredfold stop` ends that.');
    else if (session.role === 'joined')
      say('  The command that holds the server goes on with it now.');
    else if (session.role === 'remote')
      say('  Other workers, if there are any, go on with it now.');
    return EXIT.interrupted;
  }
  if (!last?.completed) throw brokenOff(name, await reasonOfEnd(session, name));
  const code = await concludeEnded(folder, { json, idle });
  // What was seen last may be of a moment before the end.
  const handle = session.client.workflow.getHandle<typeof campaign>(campaignWorkflowId(name));
  const { unnotified = [] } = await handle.result();
  for (const reason of unnotified) say(`  not told of the end: ${reason}`);
  return code;
}

/** Of a campaign that has ended and is published. Returns the exit code. */
export async function concludeEnded(
  folder: string,
  { json, idle = false }: { readonly json: boolean; readonly idle?: boolean },
): Promise<number> {
  const ended = await endedCampaign(await openStore(folder), folder);
  if (json) printDocument(ended.document);
  printEnd(ended, { idle });
  return exitCodeOf(ended.document);
}

/** What the workflow failed of, in the words of the activity; null when it was ended by hand. */
async function reasonOfEnd(session: Session, name: string): Promise<string | null> {
  return (await failureOf(session, name))?.message ?? null;
}

/**
 * The campaign has ended, and items in its tree have not: their records were removed, their workflows ended without
 * them, and then the records were written again.
 */
export async function hasOpenItems(session: Session, name: string): Promise<boolean> {
  return (await failureOf(session, name))?.type === 'ITEMS_OPEN';
}

async function failureOf({ client }: Session, name: string): Promise<ApplicationFailure | null> {
  try {
    await client.workflow.getHandle(campaignWorkflowId(name)).result();
    return null;
  } catch (error) {
    let reason: unknown = error;
    while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
    return reason instanceof ApplicationFailure ? reason : null;
  }
}

function brokenOff(name: string, reason: string | null): HundredfoldError {
  const why = reason === null ? 'was ended by hand, or failed' : `failed: ${reason}`;
  return new HundredfoldError({
    code: 'CAMPAIGN_BROKEN_OFF',
    message: `the workflow of the campaign ${name} ${why}`,
    remedy: 'Type its "hundredfold run" command again: what is done stays done.',
  });
}
