/**
 * Moves a campaign: an open campaign of the embedded server continues in the user's own Temporal. Its tree stays where
 * it is, or is copied into a bucket; the jobs at the services and what is charged for them move along.
 *
 * Each step can be repeated: after a crash in the middle, the same command continues.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { notifyWays } from '../config/notify.ts';
import type { Settings } from '../config/settings.ts';
import type { ServiceSettings } from '../config/services.ts';
import type { CampaignSpec, ServiceReference } from '../domain/campaign.ts';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { openSession } from '../host/open-session.ts';
import type { Session } from '../host/session.ts';
import { absoluteAddress, campaignAddress } from '../store/layout.ts';
import { countInvalidRows } from '../store/invalid-rows.ts';
import { openStore, reachObjectStores } from '../store/open-store.ts';
import { prepareRetry } from '../store/retry.ts';
import { readPage } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { transfer } from '../store/transfer.ts';
import { ensureTreeId } from '../store/lease.ts';
import { pauseSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { findCampaign } from './find.ts';
import { feedsOf, snapshotsOf, takeAlong, takeTokens } from './moved-charges.ts';
import type { OnNotice } from './notice.ts';
import { whileHolding } from './hold-tree.ts';
import { feedSpecs, launch, onShared } from './launch.ts';
import { endObsolete } from './obsolete.ts';
import { requireTree, type CampaignTree } from './campaign-tree.ts';
import { Deadline } from '../domain/deadline.ts';

interface Move {
  readonly name: string;
  /** Of the embedded server that it leaves. */
  readonly here: Settings;
  /** Of the Temporal that it goes to. */
  readonly there: Settings;
  /** The configuration file of the latter, for messages. */
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly onNotice: OnNotice;
}

/**
 * @returns the address of the Temporal that has the campaign now
 * @throws HundredfoldError `MOVE_NOT_EMBEDDED`, `MOVE_NO_TEMPORAL`, `MOVE_OTHER_SERVICE`, `CAMPAIGN_UNKNOWN`
 */
export async function moveCampaign(move: Move): Promise<string> {
  const { name, here, there, environment } = move;
  const address = addressOf(move);
  // One of the two may be a folder, whose configuration says nothing of a bucket.
  reachObjectStores({ ...here.objectStore, ...there.objectStore });
  const session = await openSession({
    settings: here,
    environment,
    localServices: null,
    anyHost: true,
    lookOnly: true,
  });
  try {
    const tree = await requireTree(campaignAddress(here.storeUrl, name), name, true);
    await moveFrom(session, tree, move, address);
    return address;
  } finally {
    await session.close();
  }
}

/** The address that it goes to. */
function addressOf({ here, there, file }: Move): string {
  if (here.temporal !== null) throw notEmbedded(here.temporal.address);
  if (there.temporal === null) throw noTemporal(file);
  return there.temporal.address;
}

async function moveFrom(
  session: Session,
  tree: CampaignTree,
  { name, there, file, environment, onNotice }: Move,
  address: string,
): Promise<void> {
  const { priority, ...run } = await runOf(session.client, name);
  const feeds = feedsOf(there, run.references, file);
  const target = await openSession({
    settings: there,
    environment,
    localServices: null,
    ownWorker: false,
  });
  try {
    await comeToRest(session, name, run.references);
    await takeAlong(target, feeds, run.id, await snapshotsOf(session.client, run.references));
    const { open } = await findCampaign(session.client, name);
    if (open) await endObsolete(session, name, onNotice, `it was moved to ${address}`);
    await goOn(target, { name, tree, feeds, there, priority, onNotice });
  } finally {
    await target.close();
  }
}

interface Run {
  readonly id: string;
  readonly references: readonly ServiceReference[];
  readonly priority: number;
}

/** The newest run of the campaign here, and the services that it draws on. */
async function runOf(client: Client, name: string): Promise<Run> {
  await findCampaign(client, name);
  const { runId, memo } = await client.workflow.getHandle(campaignWorkflowId(name)).describe();
  // Written by `launch`.
  const references = (memo?.['services'] ?? []) as readonly ServiceReference[];
  const priority = memo?.['priority'] as number;
  return { id: runId, references, priority };
}

/** A submission ends within this time, also one in progress when the campaign is paused (ms). */
const ON_THEIR_WAY_MS = 50_000;
const LOOK_EVERY_MS = 500;
const QUIET_LOOKS = 3;

/** Nothing more is submitted. Submissions in progress finish if a host works; otherwise the tree records them. */
async function comeToRest(
  session: Session,
  name: string,
  references: readonly ServiceReference[],
): Promise<void> {
  const { client } = session;
  const { open } = await findCampaign(client, name);
  if (!open) return;
  await client.workflow.getHandle(campaignWorkflowId(name)).signal(pauseSignal);
  if (session.role !== 'joined') return;
  // The budgets must receive the signals of the campaign before their status is read.
  const deadline = new Deadline(ON_THEIR_WAY_MS);
  for (let quiet = 0; quiet < QUIET_LOOKS && !deadline.hasPassed;) {
    await delay(LOOK_EVERY_MS);
    const budgets = await snapshotsOf(client, references);
    const under = budgets.flatMap(({ outstanding }) => outstanding);
    quiet = under.some(({ campaign, settlesBy }) => campaign === name && settlesBy === undefined)
      ? 0
      : quiet + 1;
  }
}

interface Onward {
  readonly name: string;
  readonly tree: CampaignTree;
  readonly feeds: readonly ServiceSettings[];
  readonly there: Settings;
  readonly priority: number;
  readonly onNotice: OnNotice;
}

async function goOn(target: Session, onward: Onward): Promise<void> {
  const { name, tree, feeds, there, priority, onNotice } = onward;
  const { campaign } = tree;
  const store = await placeFor(onward);
  // The holder of the embedded server releases the tree within half a minute.
  await whileHolding({ session: target, store, embeddedDir: null, onNotice }, async (held) => {
    // The pages as the records are now: which items have ended, and which have a job.
    await prepareRetry(store, campaign, new Set(), new Date().toISOString());
    const invalid = await countInvalidRows(store);
    const following = await countFollowing(store, campaign.pages);
    const spec: CampaignSpec = {
      name,
      store: store.location,
      tree: await ensureTreeId(store),
      items: campaign.items + invalid,
      priority,
      policy: there.policy,
      following,
      invalid,
      notify: notifyWays(there.notify),
      retried: 0,
      cache: true,
      ...onShared(target),
      feeds: feedSpecs(feeds, campaign.pages, target),
    };
    await held.check();
    await takeTokens(target, store.location, feeds);
    const manifests = campaign.manifestDigests;
    await launch(target, { name, folder: store.location, feeds, spec, manifests });
    return { result: undefined, goesOn: true };
  });
}

/** Copied into a bucket, or out of one, where the other configuration says so; of folders the workers there see the same. */
async function placeFor({ tree, there, name, onNotice }: Onward): Promise<Store> {
  const { store, folder } = tree;
  if (!isObjectAddress(there.storeUrl) && !isObjectAddress(folder)) return store;
  const address = campaignAddress(there.storeUrl, name);
  if (absoluteAddress(address) === absoluteAddress(folder)) return store;
  const to = await openStore(address);
  const { files, faults } = await transfer({ from: store, to });
  onNotice(`${name}: ${files} files are in ${address}.`);
  for (const fault of faults) onNotice(`  damaged: ${fault}`);
  return to;
}

async function countFollowing(store: Store, pages: number): Promise<number> {
  let following = 0;
  for (let page = 0; page < pages; page += 1) {
    const entries = await readPage(store, page);
    following += entries.filter(({ follows, done }) => follows !== undefined && !done).length;
  }
  return following;
}

function notEmbedded(address: string): HundredfoldError {
  return codedError('MOVE_NOT_EMBEDDED', { address });
}

function noTemporal(file: string): HundredfoldError {
  return codedError('MOVE_NO_TEMPORAL', { file });
}
