/**
 * Campaigns, as Temporal knows them, and as this machine remembers those that were started on it, in whatever folder:
 * `hundredfold status night` finds them from anywhere, and messages name the exact command that continues one.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type {
  Client,
  WorkflowExecutionDescription,
  WorkflowExecutionInfo,
  WorkflowHandle,
} from '@temporalio/client';
import { z } from 'zod';
import { nullIfNotFound } from '../activities/retry.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress, buildCampaignAddress } from '../store/layout.ts';
import { quoteWord } from '../domain/plain-text.ts';
import { readTreeState } from '../report/publish.ts';
import { PRIVATE_FILE, REMEMBERED_FILE, chooseStatePath } from '../state.ts';
import { describeHolder, readNewestLease } from '../store/lease.ts';
import { nullIfUnreadable } from '../store/store.ts';
import type { campaign } from '../workflows/index.ts';
import { buildCampaignWorkflowId, ATTRIBUTES } from '../workflows/names.ts';
import { openTreeIfAny, type OutputTree } from './tree.ts';

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

/** Of its newest run, which may have ended. */
export function getCampaignHandle(client: Client, name: string): WorkflowHandle<typeof campaign> {
  return client.workflow.getHandle<typeof campaign>(buildCampaignWorkflowId(name));
}

/** @throws HundredfoldError `CAMPAIGN_UNKNOWN` */
export async function findCampaign(
  client: Client,
  name: string,
  storeUrl?: string,
): Promise<CampaignLine> {
  return readCampaignLine(await describeCampaign(client, name, storeUrl));
}

/**
 * Takes the server up to half a second while the campaign is busy.
 * @param storeUrl where its tree may be if this Temporal does not know it: the error then tells what the tree knows
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 */
export async function describeCampaign(
  client: Client,
  name: string,
  storeUrl?: string,
): Promise<WorkflowExecutionDescription> {
  const found = await nullIfNotFound(getCampaignHandle(client, name).describe());
  if (found !== null) return found;
  const tree = storeUrl === undefined ? null : await findTreeElsewhere(name, storeUrl);
  if (tree === null)
    throw new HundredfoldError(
      'CAMPAIGN_UNKNOWN',
      `no campaign is named ${name}`,
      '`hundredfold status` shows all campaigns.',
    );
  const command = await findRunCommand(name, tree.location);
  throw new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `${name} ran at another Temporal server: ${await describeTree(tree)}`,
    `To go on with it here: ${command ?? 'run its manifests again'}`,
  );
}

/** The tree of a campaign that Temporal does not know here. */
export async function findTreeElsewhere(
  name: string,
  storeUrl: string,
): Promise<OutputTree | null> {
  const folders = readRemembered().filter((one) => one.name === name);
  const expected = buildCampaignAddress(storeUrl, name);
  for (const folder of [expected, ...folders.map((one) => one.folder)]) {
    const tree = await openTreeIfAny(folder, name);
    if (tree !== null) return tree;
  }
  return null;
}

export function readCampaignLine(info: Omit<WorkflowExecutionInfo, 'raw'>): CampaignLine {
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

const remembered = z.object({
  name: z.string(),
  /** Its output tree. */
  folder: z.string(),
  /** Where the command was typed. */
  cwd: z.string(),
  command: z.string(),
  config: z.string().optional(),
  /** ISO 8601, UTC. */
  at: z.string(),
});
type Remembered = z.infer<typeof remembered>;

/** A line of a file that only grows: commands that start at the same time do not disturb each other. */
export function rememberCampaign(stateFolder: string, campaign: Remembered): void {
  const line = `${JSON.stringify(campaign)}\n`;
  appendFileSync(join(stateFolder, REMEMBERED_FILE), line, { mode: PRIVATE_FILE });
}

/** The newest first, each tree once; those whose tree was removed are left out. */
export function readRemembered(
  environment: NodeJS.ProcessEnv = process.env,
): readonly Remembered[] {
  const file = join(chooseStatePath(environment), REMEMBERED_FILE);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const trees = new Map<string, Remembered>();
  for (const line of lines.reverse()) {
    const read = parse(line);
    if (read !== null && !trees.has(read.folder)) trees.set(read.folder, read);
  }
  return [...trees.values()].filter(({ folder }) => isObjectAddress(folder) || existsSync(folder));
}

/** Null for a line that was cut off in a crash. */
function parse(line: string): Remembered | null {
  try {
    return remembered.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** What `run` is told of rows and of the place of their results. */
type RunWords = Partial<
  Record<'out' | 'name' | 'services' | 'also' | 'config', string | undefined>
> &
  Partial<Record<'allowOutside' | 'cache' | 'skipInvalid' | 'worker', boolean | undefined>> & {
    readonly compareLanes?: number | undefined;
  };

/** With the options that decide which rows are run, and where. */
export function runCommand(manifests: readonly string[], options: RunWords): string {
  const { out, name, allowOutside, cache, skipInvalid, services, also, config, worker } = options;
  const value = (option: string, text: string | number | undefined) =>
    text === undefined ? [] : [option, quoteWord(String(text))];
  return [
    'hundredfold run',
    ...manifests.map(quoteWord),
    ...value('--out', out),
    ...value('--name', name),
    ...(allowOutside ? ['--allow-outside'] : []),
    ...(skipInvalid ? ['--skip-invalid'] : []),
    ...(cache === false ? ['--no-cache'] : []),
    ...(worker === false ? ['--no-worker'] : []),
    ...value('--services', services),
    ...value('--also', also),
    ...value('--compare-lanes', options.compareLanes),
    ...value('--config', config),
  ].join(' ');
}

/** The command that continues a campaign, as it can be typed here; null if nothing here tells its manifests. */
export async function findRunCommand(name: string, folder?: string): Promise<string | null> {
  const known = readRemembered().find(
    (one) => one.name === name && (folder === undefined || one.folder === folder),
  );
  if (known) return formatTypedIn(known.cwd, known.command);
  const tree =
    folder === undefined ? null : await openTreeIfAny(folder, name).catch(nullIfUnreadable);
  return tree && formatCommand(tree);
}

function formatTypedIn(cwd: string, command: string): string {
  return cwd === process.cwd() ? command : `cd ${quoteWord(cwd)} && ${command}`;
}

/** The tree has the manifests as they were typed, but not where. */
function formatCommand({ location, campaign, local }: OutputTree): string {
  const out = isObjectAddress(location)
    ? location.slice(0, location.lastIndexOf('/'))
    : dirname(resolve(location));
  return runCommand(
    campaign.manifestDigests.map(({ file }) => file),
    { name: campaign.name, out, services: local ?? undefined },
  );
}

/** What a tree tells of its campaign, which this Temporal does not know. */
async function describeTree(tree: OutputTree): Promise<string> {
  const { ended, items, isPublished } = await readTreeState(tree.store, tree.campaign);
  const state = isPublished ? 'it has ended' : `${ended} of ${items} items are done`;
  const lease = await readNewestLease(tree.store);
  const holder =
    lease?.record && !lease.released ? `, used by ${describeHolder(lease.record)}` : '';
  return `${state}, by its tree in ${tree.location}${holder}`;
}
