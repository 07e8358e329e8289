/** `hundredfold retry`: runs items of a campaign again that have ended without success, in the same output tree. */
import { notifyWays } from '../config/notify.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceSettings, Settings } from '../config/settings.ts';
import type { Standing } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { seedLedger } from '../host/seed-ledger.ts';
import { openSession, type Session } from '../host/session.ts';
import { isPublished } from '../report/published-campaign.ts';
import { countInvalidRows } from '../store/invalid-rows.ts';
import { prepareRetry } from '../store/prepare-retry.ts';
import { ensureTreeId } from '../store/tree-identity.ts';
import { surveyRetry, type RetrySurvey, type Selection } from '../store/retry-survey.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import { startInBackground } from './background.ts';
import { chooseServices } from './choose-services.ts';
import { conclude, concludeEnded } from './conclusion.ts';
import { detach } from './detached.ts';
import { say } from './explain.ts';
import type { ServiceFlags } from './flags.ts';
import { follow } from './follow.ts';
import { embeddedDirOf, whileHolding, type HeldTree } from './hold-tree.ts';
import { Interruption } from './interruption.ts';
import {
  campaignRun,
  digestOfIds,
  effectiveSettings,
  feedPlans,
  launch,
  onShared,
} from './launch.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { explainRetry } from './retry-text.ts';
import { openTree, treeIfAny, type CampaignTree } from './retry-tree.ts';
import { standingOf, type StandingFlags } from './standing.ts';
import { logToFolder } from './worker-log.ts';
import { campaignAddress } from '../store/address.ts';
import { commandSettings } from './command-settings.ts';

export interface RetryFlags extends ServiceFlags, StandingFlags {
  readonly failed?: boolean;
  readonly item?: readonly string[];
  readonly out?: string;
  readonly detach?: boolean;
}

export async function retry(name: string, flags: RetryFlags): Promise<number> {
  const settings = commandSettings(flags);
  const expected = campaignAddress(flags.out ?? settings.storeUrl, name);
  // Where it usually lies: what it needs is known before a server is started. Temporal may know of another place.
  const local = flags.services === 'local' || ((await treeIfAny(expected, name))?.local ?? false);
  const interruption = new Interruption();
  logToFolder(settings);
  const services = local ? { services: 'local' as const } : {};
  if (flags.detach) await startInBackground(settings, { ...flags, ...services });
  const session = await openSession({
    ...{ settings, environment: process.env, localServices: local },
    ownWorker: !flags.detach,
  });
  try {
    if (interruption.requested()) return EXIT.interrupted;
    const wanted = {
      name,
      expected,
      local,
      settings,
      selection: selectionOf(flags),
      standing: standingOf(flags),
      ...outOf(flags),
    };
    const { folder, idle } = await oneAtATime(settings, () => startRetry(session, wanted));
    const json = flags.json ?? false;
    if (idle) return await concludeEnded(folder, { json });
    const left = { settings, flags: { ...flags, ...services } };
    if (flags.detach) return await detach(session, { name, folder }, left);
    const to = await follow(session, { name, folder }, interruption);
    return await conclude(session, { name, folder }, to, left);
  } finally {
    await session.close();
  }
}

function selectionOf({ failed, item }: RetryFlags): Selection {
  if (item !== undefined) return { type: 'items', ids: new Set(item) };
  return { type: failed ? 'failed' : 'all' };
}

function outOf({ out }: RetryFlags): { readonly chosenByUser: boolean } {
  return { chosenByUser: out !== undefined };
}

interface Wanted {
  readonly name: string;
  /** Where the tree lies unless Temporal knows better, or the user has said it. */
  readonly expected: string;
  readonly chosenByUser: boolean;
  readonly local: boolean;
  readonly settings: Settings;
  readonly selection: Selection;
  readonly standing: Standing;
}

interface Begun {
  readonly folder: string;
  /** There was nothing to run again. */
  readonly idle: boolean;
}

async function startRetry(session: Session, wanted: Wanted): Promise<Begun> {
  const { name, selection } = wanted;
  const run = await campaignRun(session, name);
  const key = keyOf(selection);
  if (run?.running) {
    if (run.running.retry !== key) throw isRunning(name);
    say(`${name} is being run again already: this command joins it.`);
    return { folder: String(run.out), idle: false };
  }
  const known = typeof run?.out === 'string' && !wanted.chosenByUser ? run.out : wanted.expected;
  const tree = await openTree(known, name, run !== null);
  const embeddedDir = embeddedDirOf(wanted.settings);
  return whileHolding({ session, store: tree.store, embeddedDir }, async (held) => {
    const idle = await surveyAndBegin(session, wanted, tree, held);
    return { result: { folder: tree.folder, idle }, goesOn: !idle };
  });
}

/** Returns whether there was nothing to run again. */
async function surveyAndBegin(
  session: Session,
  wanted: Wanted,
  tree: CampaignTree,
  held: HeldTree,
): Promise<boolean> {
  const { name, selection } = wanted;
  const survey = await surveyRetry(tree.store, tree.campaign, selection);
  const feeds = servicesFor(wanted, tree, survey);
  explainRetry(name, survey);
  const nothing = survey.chosen.size + survey.open === 0;
  if (nothing && (await isPublished(tree.folder))) return true;
  if (survey.open === 0) await itemsHaveLeft(session, name);
  await begin(session, { wanted, tree, survey, feeds, held });
  return false;
}

interface Beginning {
  readonly wanted: Wanted;
  readonly tree: CampaignTree;
  readonly survey: RetrySurvey;
  readonly feeds: readonly ServiceSettings[];
  readonly held: HeldTree;
}

async function begin(session: Session, { wanted, tree, survey, feeds, held }: Beginning) {
  const { name, settings } = wanted;
  const { store, folder, campaign } = tree;
  const { services, jobs } = effectiveSettings(feeds, settings.policy);
  const merged = { ...campaign.settings, jobs, services: { ...tree.services, ...services } };
  const prepared = { ...campaign, settings: merged };
  const { chosen, alone, following } = survey;
  await seedLedger(store, { settings, environment: process.env, feeds });
  await prepareRetry(store, prepared, chosen, new Date().toISOString(), alone);
  const invalid = await countInvalidRows(store);
  const { items, pages, manifestDigests: manifests } = campaign;
  const plan = {
    ...{ name, store: folder, tree: await ensureTreeId(store) },
    ...{ items: items + invalid, ...wanted.standing, policy: settings.policy },
    ...{ following, invalid, notify: notifyWays(settings.notify) },
    retried: survey.chosen.size + survey.reopenedBefore,
    ...onShared(session),
    feeds: feedPlans(feeds, pages, session),
  };
  await held.check();
  const retried = keyOf(wanted.selection);
  await launch(session, { name, folder, feeds, plan, manifests, retry: retried });
}

/** Those that have something to do must be known; the others only let the view count what had ended before. */
function servicesFor(
  { settings, local }: Wanted,
  tree: CampaignTree,
  survey: RetrySurvey,
): readonly ServiceSettings[] {
  const welcome = new Set(Object.keys(tree.services));
  const who = `the campaign ${tree.campaign.name}`;
  return chooseServices(settings, {
    ...{ local: local || tree.local, needed: survey.services, welcome, who },
  });
}

/** The same command typed again joins; another selection cannot be added to a campaign that runs. */
function keyOf(selection: Selection): string {
  return selection.type === 'items' ? `items ${digestOfIds(selection.ids)}` : selection.type;
}

const LEAVE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * An item tells its campaign of its end from its last activity, a moment before its workflow is closed; until then no
 * other can be started under its id.
 */
async function itemsHaveLeft({ client }: Session, name: string): Promise<void> {
  const query = `WorkflowType="item" AND ${ATTRIBUTES.campaign.name}="${name}" AND ExecutionStatus="Running"`;
  const end = Date.now() + LEAVE_WITHIN_MS;
  while (Date.now() < end && (await client.workflow.count(query)).count > 0)
    await delay(LOOK_EVERY_MS);
}

function isRunning(name: string): HundredfoldError {
  return new HundredfoldError({
    code: 'CAMPAIGN_RUNNING',
    message: `the campaign ${name} is running: what has not ended cannot be run again`,
    remedy: `Wait until it has ended (hundredfold watch ${name}), or end it (hundredfold cancel ${name}); then type this again.`,
    exitCode: EXIT.refused,
  });
}
