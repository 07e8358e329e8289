/** What a command prints and returns when it stops following a campaign. */
import type { Settings } from '../../config/settings.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import type { Session } from '../../host/session.ts';
import { brokenOff, notNotified } from '../../runner/campaign.ts';
import { openStore } from '../../store/open-store.ts';
import { findCampaign } from '../../runner/find.ts';
import { say } from '../text/explain.ts';
import type { FollowedTo } from '../live/follow.ts';
import { answered } from '../../runner/session.ts';
import { type CampaignObservation, type Observed, openDocument } from '../../runner/observe.ts';
import { backgroundRuns } from '../../host/background.ts';
import { detach } from './detached.ts';
import { isTemporalAway } from '../../temporal/grpc-status.ts';
import { endedCampaign } from '../../report/campaign-summary.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { printDocument } from '../text/output.ts';
import { exitCodeOf, printEnd } from '../text/summary.ts';

interface ConclusionOptions {
  readonly flags: ServiceFlags;
  readonly settings: Settings;
  /** Every item had ended before the command started. */
  readonly idle?: boolean;
}

/** Returns the exit code. Throws CAMPAIGN_NOT_PUBLISHED when the campaign was terminated or failed. */
export async function concludeRun(
  session: Session,
  followed: Observed,
  { end, last }: FollowedTo,
  { flags, settings, idle = false }: ConclusionOptions,
): Promise<number> {
  const { name, folder } = followed;
  const json = flags.json ?? false;
  if (end === 'detached') return detach(session, followed, { settings, flags });
  if (end === 'interrupted') {
    if (json && last) await printOpen(session, name, last);
    say(`${name} is safe on disk: run the same command to resume.`);
    if (backgroundRuns(settings))
      say('  The background process continues it; `hundredfold stop` stops that process.');
    else if (session.role === 'joined') say('  The command that runs the server continues it.');
    else if (session.role === 'remote') say('  Other workers, if any are running, continue it.');
    return EXIT.interrupted;
  }
  if (!last?.completed) throw await brokenOff(session, name);
  const code = await concludeEnded(folder, { json, idle });
  // The last observation may be older than the end.
  for (const reason of await notNotified(session, name))
    say(`  notification of the end failed: ${reason}`);
  return code;
}

/** The command that runs the server may have been interrupted as well: this command has still succeeded. */
async function printOpen(session: Session, name: string, last: CampaignObservation): Promise<void> {
  const document = async () =>
    openDocument(session, await findCampaign(session.client, name), last);
  try {
    printDocument(await answered(document()));
  } catch (error) {
    const silent = error instanceof HundredfoldError && error.code === 'TEMPORAL_SILENT';
    if (!silent && !isTemporalAway(error)) throw error;
    say(`Temporal does not answer: the state of ${name} is not printed.`);
  }
}

/** For a campaign that has ended and is published. Returns the exit code. */
export async function concludeEnded(
  folder: string,
  { json, idle = false }: { readonly json: boolean; readonly idle?: boolean },
): Promise<number> {
  const ended = await endedCampaign(await openStore(folder), folder);
  if (json) printDocument(ended.document);
  printEnd(ended, { idle });
  return exitCodeOf(ended.document);
}
