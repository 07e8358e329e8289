/** Starts a campaign, or joins the one of the same name that runs: the same command typed again resumes. */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { ServiceSettings } from '../config/settings.ts';
import type { CampaignPlan, JobPolicy } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import type { ManifestReading } from '../manifest/read-all.ts';
import { openFileStore } from '../store/filesystem.ts';
import { prepareCampaign } from '../store/prepare.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';

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
}

export async function startCampaign(session: Session, start: CampaignStart): Promise<Started> {
  const items = start.reading.items.length;
  const running = await runningIn(session, start.name);
  if (running !== null) {
    checkSame(start, running);
    return { joined: true, items, done: 0 };
  }
  const { plan, done } = await prepare(start);
  await session.client.workflow.start('campaign', {
    workflowId: campaignWorkflowId(start.name),
    taskQueue: session.taskQueue,
    args: [{ plan }],
    // Two commands typed at once: the second finds the first one's campaign.
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: '5s',
    staticSummary: `campaign ${start.name}: ${plan.items} items`,
    memo: {
      out: start.folder,
      manifests: digestOf(start.reading),
      startedAt: new Date().toISOString(),
    },
    typedSearchAttributes: [
      { key: ATTRIBUTES.campaign, value: start.name },
      { key: ATTRIBUTES.state, value: 'running' },
    ],
  });
  return { joined: false, items, done };
}

interface Running {
  readonly out: unknown;
  readonly manifests: unknown;
}

async function runningIn({ client }: Session, name: string): Promise<Running | null> {
  try {
    const { status, memo } = await client.workflow.getHandle(campaignWorkflowId(name)).describe();
    return status.name === 'RUNNING'
      ? { out: memo?.['out'], manifests: memo?.['manifests'] }
      : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
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
  if (running.manifests !== digestOf(start.reading)) {
    refuse(`the campaign ${start.name} is running, and was started with another manifest`);
  }
}

function digestOf({ digests }: ManifestReading): string {
  return digests.map(({ sha256 }) => sha256).join(' ');
}

/** Lays the items out in the tree. What is on disk already, from an earlier run, is kept. */
async function prepare({
  name,
  folder,
  reading,
  feeds,
  policy,
}: CampaignStart): Promise<{ plan: CampaignPlan; done: number }> {
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
  const settings = {
    services: Object.fromEntries(
      feeds.map(({ reference, url, variant, limit }) => [
        reference.service,
        { url, variant, credential: reference.credential, budget: limit },
      ]),
    ),
    jobs: policy,
  };
  const manifestDigests = reading.digests;
  const prepared = await prepareCampaign(store, { name, manifestDigests, settings }, reading.items);
  const plan: CampaignPlan = {
    name,
    store: folder,
    items: prepared.items,
    weight: 1,
    policy,
    feeds: feeds.map(({ reference, limit }) => ({
      reference,
      pages: prepared.pages,
      open: openItems(limit.limit),
    })),
  };
  return { plan, done: prepared.done };
}

const OPEN_WITHOUT_LIMIT = 300;
const OPEN_AT_MOST = 1_000;

/** At least twice the limit plus the jobs running, or slots would lie idle when they free up all at once. */
function openItems(limit: number | null): number {
  return limit === null ? OPEN_WITHOUT_LIMIT : Math.min(OPEN_AT_MOST, 2 * limit + 100);
}
