/** Turns jobs that were submitted elsewhere into the items of a campaign, like `hundredfold adopt`. */
import { adoptJobs } from '../campaigns/adopt.ts';
import { codedError } from '../domain/errors.ts';
import type { Kind, ServiceName } from '../domain/item.ts';
import { absoluteAddress } from '../store/layout.ts';
import type { Campaign } from './campaign.ts';
import { settingsOf } from './configuration.ts';
import { startCampaign, type StartOptions } from './start-campaign.ts';

/** How jobs are adopted. Without `name`, the campaign is named after the service and today's date. */
export interface AdoptOptions extends Omit<StartOptions, 'allowOutside' | 'skipInvalid'> {
  /** The kind of all jobs; needed if the service does not report it. */
  readonly kind?: Kind;
}

/**
 * Starts a campaign whose items are jobs that were submitted by other means (docs/adopting.md): their results are
 * fetched and checked, and nothing is submitted. Calling it again with the same jobs resumes that campaign.
 *
 * @param service - the service that has the jobs
 * @param jobs - their ids, or `past` for all that the service still lists for the token
 * @returns the campaign; null when the output folder already has all jobs that `past` finds
 * @throws HundredfoldError `ADOPT_*`, `CAMPAIGN_DIFFERS`, and everything that `startCampaign()` throws
 */
export async function adopt(
  service: ServiceName,
  jobs: readonly string[] | 'past',
  options: AdoptOptions = {},
): Promise<Campaign | null> {
  if (jobs.length === 0) throw codedError('ADOPT_NOTHING_NAMED', { service });
  const settings = settingsOf(options);
  const { kind = null, name = null, out = settings.storeUrl } = options;
  const local = options.services ?? null;
  const order = { service, settings, local, folder: absoluteAddress(out), name, kind };
  return adoptJobs(order, { ids: jobs }, (manifest, campaign) =>
    startCampaign(manifest, { ...options, name: campaign }),
  );
}
