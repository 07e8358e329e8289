/** Campaigns as Temporal knows them, and their output trees. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { z } from 'zod';
import { nullIfNotFound } from '../activities/not-found.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { LOCAL_NAMES, type LocalName } from '../host/local-settings.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';
import {
  createNotPreparedError,
  type PreparedCampaign,
  readPreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';

export interface CampaignLine {
  readonly name: string;
  /** `running`, `paused`, `publishing`, `completed`, `cancelled`; or `ended by hand`. */
  readonly state: string;
  readonly open: boolean;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly out: string;
}

/** The newest first. */
export async function listCampaigns(client: Client): Promise<CampaignLine[]> {
  const lines = new Map<string, CampaignLine>();
  for await (const info of client.workflow.list({ query: 'WorkflowType="campaign"' })) {
    const line = readCampaignLine(info);
    // A campaign that was run again, or continued as new, has several runs: the newest comes first.
    if (!lines.has(line.name)) lines.set(line.name, line);
  }
  return [...lines.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** Throws CAMPAIGN_UNKNOWN. */
export async function findCampaign(client: Client, name: string): Promise<CampaignLine> {
  return readCampaignLine(await describeCampaign(client, name));
}

/** Takes the server up to half a second while the campaign is busy. Throws CAMPAIGN_UNKNOWN. */
export async function describeCampaign(
  client: Client,
  name: string,
): Promise<WorkflowExecutionDescription> {
  const found = await nullIfNotFound(
    client.workflow.getHandle(buildCampaignWorkflowId(name)).describe(),
  );
  if (found === null)
    throw new HundredfoldError(
      'CAMPAIGN_UNKNOWN',
      `no campaign is named ${name}`,
      '`hundredfold status` shows all campaigns.',
    );
  return found;
}

export function readCampaignLine(
  info: Pick<
    WorkflowExecutionDescription,
    'workflowId' | 'status' | 'startTime' | 'closeTime' | 'memo' | 'typedSearchAttributes'
  >,
): CampaignLine {
  const { workflowId, status, startTime, closeTime, memo, typedSearchAttributes } = info;
  const open = status.name === 'RUNNING';
  const state = typedSearchAttributes.get(ATTRIBUTES.state) ?? 'running';
  const byHand = !open && status.name !== 'COMPLETED' && status.name !== 'CONTINUED_AS_NEW';
  return {
    name: workflowId.slice(buildCampaignWorkflowId('').length),
    state: byHand ? 'ended by hand' : state,
    open,
    // The memo stays when a campaign continues as new; the start time does not.
    startedAt: readMemoText(memo, 'startedAt') ?? startTime.toISOString(),
    endedAt: closeTime?.toISOString() ?? null,
    out: readMemoText(memo, 'out') ?? '',
  };
}

function readMemoText(memo: Record<string, unknown> | undefined, key: string): string | null {
  const value = memo?.[key];
  return typeof value === 'string' ? value : null;
}

export interface CampaignTree {
  readonly store: Store;
  readonly folder: string;
  readonly campaign: PreparedCampaign;
  /** The services it used, from its settings. */
  readonly services: Readonly<Record<string, unknown>>;
  /** The services of this project that it used; null if it used others. */
  readonly local: LocalName | null;
}

const settings = z.object({ services: z.record(z.string(), z.unknown()) });
const localService = z.object({ url: z.enum(LOCAL_NAMES) });

/** Null when the folder contains no prepared campaign of this name. Creates no folder. */
export async function openTreeIfAny(folder: string, name: string): Promise<CampaignTree | null> {
  const tree = await readTree(folder);
  return tree?.campaign.name === name ? tree : null;
}

/**
 * The tree in a folder that the user names, of whatever campaign it is.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 */
export async function openFolder(folder: string): Promise<CampaignTree> {
  const tree = await readTree(folder);
  if (tree !== null) return tree;
  throw new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `${folder} contains no campaign`,
    'Give the folder of a campaign: it contains campaign.json and items.csv.',
  );
}

async function readTree(folder: string): Promise<CampaignTree | null> {
  const store = await openStoreIfAny(folder);
  if (store === null) return null;
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) return null;
  const read = settings.safeParse(campaign.settings);
  const services = read.success ? read.data.services : {};
  const [local = null] = Object.values(services).flatMap(
    (service) => localService.safeParse(service).data?.url ?? [],
  );
  return { store, folder, campaign, services, local };
}

/**
 * `known`: Temporal has a campaign of this name, which wrote there.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function requireTree(
  folder: string,
  name: string,
  known: boolean,
): Promise<CampaignTree> {
  const tree = await openTreeIfAny(folder, name);
  if (tree) return tree;
  if (known && (await openStoreIfAny(folder)) !== null) {
    throw createNotPreparedError(
      await openStore(folder),
      `it does not contain the campaign ${name}`,
    );
  }
  throw new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `no campaign is named ${name}, and ${folder} is not its output folder`,
    '`hundredfold status` shows all campaigns; --out sets the folder of its output.',
  );
}
