/** Starts a campaign, or joins the one of the same name that runs: the same command typed again resumes. */
import type { ServiceSettings } from '../config/settings.ts';
import type { CampaignPlan, JobPolicy } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import type { ManifestReading } from '../manifest/read-all.ts';
import { isPublished } from '../report/published-campaign.ts';
import { openFileStore } from '../store/filesystem.ts';
import { prepareCampaign } from '../store/prepare.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import {
  campaignRun,
  digestOf,
  effectiveSettings,
  feedPlans,
  launch,
  type Running,
} from './launch.ts';

export interface CampaignStart {
  readonly name: string;
  /** The campaign's output tree. */
  readonly folder: string;
  readonly reading: ManifestReading;
  readonly feeds: readonly ServiceSettings[];
  readonly policy: JobPolicy;
}

export interface Started {
  /** It was running already. */
  readonly joined: boolean;
  readonly items: number;
  /** Items that an earlier run had brought to their end; not known of a campaign that was joined. */
  readonly done: number;
  /** Everything had ended and stands in the tables: nothing was started. */
  readonly idle: boolean;
}

export async function startCampaign(session: Session, start: CampaignStart): Promise<Started> {
  const { name, folder, feeds, reading } = start;
  const items = reading.items.length;
  const running = (await campaignRun(session, name))?.running;
  if (running) {
    checkSame(start, running);
    return { joined: true, items, done: 0, idle: false };
  }
  const { plan, done, idle } = await prepare(start);
  if (!idle) await launch(session, { name, folder, feeds, plan, manifests: reading.digests });
  return { joined: false, items, done, idle };
}

/** A campaign that runs cannot change under way: its rows are on their way. */
function checkSame(start: CampaignStart, running: Running): void {
  const refuse = (message: string): never => {
    throw new HundredfoldError({
      code: 'CAMPAIGN_DIFFERS',
      message,
      remedy: `Give this one another name with --name, or wait: hundredfold watch ${start.name}.`,
      exitCode: EXIT.refused,
    });
  };
  if (running.out !== start.folder) {
    refuse(`a campaign named ${start.name} is running, into ${String(running.out)}`);
  }
  if (running.manifests !== digestOf(start.reading.digests)) {
    refuse(`the campaign ${start.name} is running, and was started with another manifest`);
  }
}

interface Laid {
  readonly plan: CampaignPlan;
  readonly done: number;
  readonly idle: boolean;
}

/** Lays the items out in the tree. What is on disk already, from an earlier run, is kept. */
async function prepare({ name, folder, reading, feeds, policy }: CampaignStart): Promise<Laid> {
  const store = await openFileStore(folder);
  const former = await readPreparedCampaign(store);
  if (former && former.name !== name) {
    throw new HundredfoldError({
      code: 'CAMPAIGN_FOLDER_TAKEN',
      message: `${folder} is the output of the campaign ${former.name}`,
      remedy: 'Choose another folder with --out.',
      exitCode: EXIT.refused,
    });
  }
  const settings = { ...effectiveSettings(feeds, policy) };
  const campaign = { name, manifestDigests: reading.digests, settings };
  const { pages, items, done, changed } = await prepareCampaign(store, campaign, reading.items);
  const plan = { name, store: folder, items, weight: 1, policy, feeds: feedPlans(feeds, pages) };
  return { plan, done, idle: done === items && !changed && (await isPublished(store)) };
}
