/** From checked rows to a campaign that can be started: its services, policy and output. */
import { notifyWays } from '../config/notify.ts';
import type { Settings } from '../config/settings.ts';
import type { JobPolicy } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import type { Spool } from '../plan/spool.ts';
import { openStore } from '../store/open-store.ts';
import { probe } from '../store/probe.ts';
import { chooseServices } from './choose-services.ts';
import { embeddedDirOf } from './hold-tree.ts';
import type { Intake, IntakeOptions } from './intake.ts';
import { ignoreNotices, type OnNotice } from './notice.ts';
import { checkServices } from './recognise-services.ts';
import { standingOf, type StandingOptions } from './standing.ts';
import type { CampaignStart } from './start.ts';

export interface StartOptions extends IntakeOptions, StandingOptions {
  /** Nothing is paused because items fail for one and the same reason. */
  readonly keepGoing?: boolean;
  readonly onNotice?: OnNotice;
}

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_LOCAL_SERVICES` */
export function campaignStart(
  intake: Intake,
  spool: Spool,
  settings: Settings,
  options: StartOptions,
): CampaignStart {
  const { name, folder, survey, cache, needed } = intake;
  const local = options.services === 'local';
  return {
    name,
    folder,
    survey,
    spool,
    cache,
    feeds: chooseServices(settings, { local, needed, who: 'the manifest' }),
    keepResults: options.cache !== false,
    policy: policyOf(settings, options),
    standing: standingOf(options),
    notify: notifyWays(settings.notify),
    embeddedDir: embeddedDirOf(settings),
    onNotice: options.onNotice ?? ignoreNotices,
  };
}

function policyOf({ policy }: Settings, { keepGoing }: StartOptions): JobPolicy {
  const { sameFailures: _, ...rest } = policy;
  return keepGoing === true ? rest : policy;
}

/**
 * What can be known before a server is started for the campaign.
 * @throws HundredfoldError `SERVICE_URL_WRONG`, `STORE_*`
 */
export async function checkStart({
  folder,
  survey,
  feeds,
  onNotice = ignoreNotices,
}: CampaignStart): Promise<void> {
  await checkOutput(folder);
  await checkServices(feeds, { resumes: survey.submitted + survey.ended > 0, onNotice });
}

/** An output folder that cannot be used is reported before a server is started for it: nothing was submitted. */
async function checkOutput(folder: string): Promise<void> {
  try {
    const store = await openStore(folder);
    if (isObjectAddress(folder)) await probe(store);
  } catch (cause) {
    if (!(cause instanceof HundredfoldError)) throw cause;
    const { code, message, remedy } = cause;
    throw new HundredfoldError({ code, message, remedy, exitCode: EXIT.refused, cause });
  }
}
