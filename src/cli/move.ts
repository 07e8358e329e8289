/**
 * `hundredfold move NAME --to FILE`: an open campaign of the embedded server goes on in a Temporal of one's own. Its tree
 * stays where it is, or is copied into a bucket; the jobs at the services and what is charged for them move along.
 *
 * Each step may be repeated: after a crash in the middle the same command goes on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readSnapshot } from '../activities/budget-status.ts';
import { budgetStart } from '../activities/watch.ts';
import type { BudgetSnapshot } from '../budget/status.ts';
import { notifyWays } from '../config/notify.ts';
import { everyCredential, type ServiceSettings, type Settings } from '../config/settings.ts';
import type { CampaignPlan, ServiceReference, Standing } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { openSession, type Session } from '../host/session.ts';
import { absoluteAddress, campaignAddress } from '../store/address.ts';
import { countInvalidRows } from '../store/invalid-rows.ts';
import { credentialLeaseAddress, takeCredential } from '../store/credential-lease.ts';
import { openStore, reachObjectStores } from '../store/open-store.ts';
import { prepareRetry } from '../store/prepare-retry.ts';
import { readPage } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { transfer } from '../store/transfer.ts';
import { ensureTreeId } from '../store/tree-identity.ts';
import { treeHolder } from '../temporal/tree-holder.ts';
import { configureSignal, pauseSignal, restoreSignal } from '../workflows/messages.ts';
import { budgetWorkflowId, campaignWorkflowId, submitTaskQueue } from '../workflows/names.ts';
import { findCampaign } from '../campaigns/find.ts';
import { commandSettings } from './command-settings.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './flags.ts';
import { whileHolding } from '../campaigns/hold-tree.ts';
import { feedPlans, launch, onShared } from '../campaigns/launch.ts';
import { endObsolete } from '../campaigns/obsolete.ts';
import { openTree, type CampaignTree } from '../campaigns/campaign-tree.ts';
import { logToFolder } from './worker-log.ts';

export interface MoveFlags extends CommonFlags {
  /** The configuration of the Temporal that it goes to. */
  readonly to: string;
}

export async function move(name: string, flags: MoveFlags): Promise<number> {
  const here = commandSettings(flags, { tokens: 'optional' });
  const there = commandSettings({ config: flags.to });
  if (here.temporal !== null) throw notEmbedded(here.temporal.address);
  if (there.temporal === null) throw noTemporal(flags.to);
  const { address } = there.temporal;
  // One of the two may be a folder, whose configuration says nothing of a bucket.
  reachObjectStores({ ...here.objectStore, ...there.objectStore });
  logToFolder(here);
  const session = await openSession({
    ...{ settings: here, environment: process.env, localServices: false },
    ...{ anyHost: true, lookOnly: true },
  });
  try {
    const tree = await openTree(campaignAddress(here.storeUrl, name), name, true);
    const { standing, ...run } = await runOf(session.client, name);
    const feeds = feedsOf(there, run.references, flags.to);
    const target = await openSession({
      ...{ settings: there, environment: process.env, localServices: false },
      ownWorker: false,
    });
    try {
      await comeToRest(session, name, run.references);
      await takeAlong(target, feeds, run.id, await snapshotsOf(session.client, run.references));
      const { open } = await findCampaign(session.client, name);
      if (open) await endObsolete(session, name, say, `it was moved to ${address}`);
      await goOn(target, { name, tree, feeds, there, standing });
    } finally {
      await target.close();
    }
    say(`${name} goes on at ${address}, as long as workers run there: hundredfold worker.`);
    say(
      `  Watch it with the configuration of that server: hundredfold watch ${name} --config ${flags.to}`,
    );
    return EXIT.ok;
  } finally {
    await session.close();
  }
}

interface Run {
  readonly id: string;
  readonly references: readonly ServiceReference[];
  readonly standing: Standing;
}

/** The newest run of the campaign here, and the services that it draws on. */
async function runOf(client: Client, name: string): Promise<Run> {
  await findCampaign(client, name);
  const { runId, memo } = await client.workflow.getHandle(campaignWorkflowId(name)).describe();
  // Written by `launch`.
  const references = (memo?.['services'] ?? []) as readonly ServiceReference[];
  // Absent from campaigns that an earlier version has started.
  const standing = (memo?.['standing'] ?? { weight: 1 }) as Standing;
  return { id: runId, references, standing };
}

/** A submission ends within this time, and so does what is on its way when the campaign is paused (ms). */
const ON_THEIR_WAY_MS = 50_000;
const LOOK_EVERY_MS = 500;
const QUIET_LOOKS = 3;

/** Nothing more is submitted, and what is on its way comes to its end where a host works; else the tree tells of it. */
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
  // The campaign has to be heard by its budgets before they can be asked.
  const end = Date.now() + ON_THEIR_WAY_MS;
  for (let quiet = 0; quiet < QUIET_LOOKS && Date.now() < end;) {
    await delay(LOOK_EVERY_MS);
    const budgets = await snapshotsOf(client, references);
    const under = budgets.flatMap(({ outstanding }) => outstanding);
    quiet = under.some(({ campaign }) => campaign === name) ? 0 : quiet + 1;
  }
}

async function snapshotsOf(
  client: Client,
  references: readonly ServiceReference[],
): Promise<BudgetSnapshot[]> {
  const all = references.map((reference) => readSnapshot(client, budgetWorkflowId(reference)));
  return (await Promise.all(all)).filter((snapshot) => snapshot !== null);
}

/** The same services with the same tokens, or its jobs would be unknown there. */
function feedsOf(
  { services }: Settings,
  references: readonly ServiceReference[],
  file: string,
): ServiceSettings[] {
  const feeds = references.map((reference) => {
    const found = services[reference.service];
    const known = found ? everyCredential([found]).map((one) => one.reference) : [];
    if (found && known.some((one) => isSame(one, reference))) return found;
    throw new HundredfoldError({
      code: 'MOVE_OTHER_SERVICE',
      message: `${file} has another address or another token for ${reference.service} than the campaign was started with, or none (${reference.address}, fingerprint ${reference.credential})`,
      remedy: `Give services.${reference.service} the same url and token there. A campaign of the local services cannot be moved.`,
      exitCode: EXIT.refused,
    });
  });
  return [...new Set(feeds)];
}

function isSame(one: ServiceReference, other: ServiceReference): boolean {
  return one.address === other.address && one.credential === other.credential;
}

/** What is charged here counts there, once, however often this is called. */
async function takeAlong(
  { client, taskQueue }: Session,
  feeds: readonly ServiceSettings[],
  run: string,
  budgets: readonly BudgetSnapshot[],
): Promise<void> {
  for (const { reference, limit, addressLimit, maxUnfinished } of everyCredential(feeds)) {
    const { service, address, credential } = reference;
    const left = budgets.find((one) => one.service === service && one.address === address);
    const credentials = left?.credentials ?? [];
    const closes = Object.fromEntries(credentials.map((one) => [one.credential, one.closes]));
    const restored = {
      ...{ from: `move ${run}`, at: Date.now(), closes, paused: [] },
      reason: 'campaigns were moved here from an embedded server',
    };
    const budget = await client.workflow.signalWithStart('budget', {
      ...budgetStart(reference, taskQueue),
      signal: restoreSignal,
      signalArgs: [restored],
    });
    const limits = { credentialLimit: limit, addressLimit, maxUnfinished };
    await budget.signal(configureSignal, {
      ...{ credential, ...limits },
      submitQueue: submitTaskQueue(reference),
    });
  }
}

interface Onward {
  readonly name: string;
  readonly tree: CampaignTree;
  readonly feeds: readonly ServiceSettings[];
  readonly there: Settings;
  readonly standing: Standing;
}

async function goOn(target: Session, onward: Onward): Promise<void> {
  const { name, tree, feeds, there, standing } = onward;
  const { campaign } = tree;
  const store = await placeFor(tree, there, name);
  // Whoever holds the embedded server gives the tree back within half a minute.
  await whileHolding({ session: target, store, embeddedDir: null, onNotice: say }, async (held) => {
    // The pages as the records are now: which items have ended, and which have a job.
    await prepareRetry(store, campaign, new Set(), new Date().toISOString());
    const invalid = await countInvalidRows(store);
    const following = await countFollowing(store, campaign.pages);
    const plan: CampaignPlan = {
      ...{ name, store: store.location, tree: await ensureTreeId(store) },
      ...{ items: campaign.items + invalid, ...standing, policy: there.policy },
      ...{ following, invalid, notify: notifyWays(there.notify) },
      ...onShared(target),
      feeds: feedPlans(feeds, campaign.pages, target),
    };
    await held.check();
    await takeTokens(target, store.location, feeds);
    const manifests = campaign.manifestDigests;
    await launch(target, { name, folder: store.location, feeds, plan, manifests });
    return { result: undefined, goesOn: true };
  });
}

/** The charges have moved: what the server here has sent with a token, the budget there counts. */
async function takeTokens(
  { client }: Session,
  tree: string,
  feeds: readonly ServiceSettings[],
): Promise<void> {
  for (const { reference } of everyCredential(feeds)) {
    const address = credentialLeaseAddress(tree, reference);
    if (address !== null)
      await takeCredential(await openStore(address), await treeHolder(client, null));
  }
}

/** Copied into a bucket, or out of one, where the other configuration says so; of folders the workers there see the same. */
async function placeFor({ store, folder }: CampaignTree, there: Settings, name: string) {
  if (!isObjectAddress(there.storeUrl) && !isObjectAddress(folder)) return store;
  const address = campaignAddress(there.storeUrl, name);
  if (absoluteAddress(address) === absoluteAddress(folder)) return store;
  const to = await openStore(address);
  const { files, faults } = await transfer({ from: store, to });
  say(`${name}: ${files} files are in ${address}.`);
  for (const fault of faults) say(`  damaged: ${fault}`);
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
  return new HundredfoldError({
    code: 'MOVE_NOT_EMBEDDED',
    message: `the campaigns of this configuration run at ${address} already`,
    remedy: '`move` takes campaigns from the embedded server to a Temporal of your own.',
    exitCode: EXIT.refused,
  });
}

function noTemporal(file: string): HundredfoldError {
  return new HundredfoldError({
    code: 'MOVE_NO_TEMPORAL',
    message: `${file} names no Temporal server`,
    remedy: 'Give it temporal.address, and the same services and tokens as here.',
    exitCode: EXIT.refused,
  });
}
