/**
 * Starts a campaign, or joins the one of the same name that runs: running the same command again resumes it.
 *
 * A campaign with nothing left to do starts no workflow; a cancelled one stays cancelled until `retry`. The rows of a
 * growing campaign are read from its pages and not from its folders: a growth that was interrupted leaves records that
 * are on no page.
 */
import { HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../temporal/host/session.ts';
import { isPublished } from '../report/publish.ts';
import {
  hasOtherPlugins,
  countInvalidRows,
  type InvalidRow,
  writeInvalidRows,
  type CampaignHeader,
  readIds,
  type PreparedCampaign,
  readPreparedCampaign,
  writePreparedCampaign,
} from '../store/prepared-campaign.ts';
import { ensureTreeId } from '../store/lease.ts';
import { openStore } from '../store/open-store.ts';
import { growCampaign, type Known, prepareCampaign, type Prepared } from '../store/prepare.ts';
import type { ResultCache } from '../store/result-cache.ts';
import type { Store } from '../store/store.ts';
import { reportTokens, takeOver, type TakingOver, withTree } from './hold-tree.ts';
import {
  findCampaignRun,
  joinDigests,
  describeSettings,
  endObsolete,
  buildFeedSpecs,
  compareTrees,
  growRunning,
  launch,
  type Order,
  type Running,
} from './launch.ts';
import type { OnNotice } from './session.ts';
import type { Begun } from './campaign.ts';
import { checkOwner } from './intake.ts';
import type { Spool, Survey } from './survey.ts';

export interface CampaignStart extends Order {
  readonly survey: Survey;
  /** The rows that were surveyed. */
  readonly spool: Spool;
  /** Results of earlier campaigns, where there are any. */
  readonly cache: ResultCache | null;
  /** For later campaigns. */
  readonly keepResults: boolean;
  readonly onNotice: OnNotice;
}

/** @throws StoreError `TREE_LEASED`, `TREE_NOT_HERE` */
export async function startOrJoin(session: Session, start: CampaignStart): Promise<Begun> {
  const { name, folder, onNotice } = start;
  const running = (await findCampaignRun(session, name))?.running ?? null;
  if (running) checkFolder(start, running);
  const store = await openStore(folder);
  const fits = running === null ? null : await compareTrees(store, running);
  return withTree({ session, store, onNotice }, async (held) => {
    if (fits === 'obsolete') await endObsolete(session, name, onNotice);
    const taking = { session, held, feeds: start.feeds, onNotice };
    const started = await startHere(taking, start, fits === 'joins' ? running : null);
    return { result: started, goesOn: !started.idle };
  });
}

/** @param running the campaign that runs over this tree */
async function startHere(
  taking: TakingOver,
  start: CampaignStart,
  running: Running | null,
): Promise<Begun> {
  const { session, held } = taking;
  const { store } = held;
  const { items, digests, invalid } = start.survey;
  if (running) {
    if (typeof running.tree === 'string') await ensureTreeId(store, running.tree);
    const grownBy = await grow(session, store, start);
    if (grownBy !== null) return { joined: true, grownBy, items, done: 0, idle: false };
    // It ended while we looked: its rows are on disk, and it is started again with all of them.
  }
  // Before the records are written anew.
  await takeOver(taking);
  const prepared = await prepare(store, start);
  const { done, following, pages, changed } = prepared;
  const tree = await ensureTreeId(store);
  const idle = done === prepared.items && !changed && (await isPublished(start.folder));
  await held.check();
  if (!idle) {
    await reportTokens(taking);
    const counted = { items: prepared.items + invalid, invalid, following, retried: 0 };
    const cache = start.keepResults;
    await launch(session, start, { ...counted, tree, cache, pages, manifests: digests });
  }
  return { joined: false, grownBy: 0, items, done, idle };
}

function checkFolder({ name, folder }: CampaignStart, running: Running): void {
  if (running.out === folder) return;
  throw new HundredfoldError(
    'CAMPAIGN_DIFFERS',
    `a campaign named ${name} is already running, with output in ${String(running.out)}`,
    `Choose another name with --name, or wait: hundredfold watch ${name}.`,
  );
}

/**
 * Adds the rows that the running campaign does not have, and returns their number; null when it has ended meanwhile.
 * Its rows that are no longer in the manifest stay: they are in progress.
 */
async function grow(session: Session, store: Store, start: CampaignStart): Promise<number | null> {
  const { survey, feeds } = start;
  const former = await readPreparedCampaign(store);
  // Not prepared to the end, and running all the same: joined as it is.
  if (!former) return 0;
  const same = joinDigests(former.manifestDigests) === joinDigests(survey.digests);
  // From now on the workers need the plugins of this command.
  if (same && hasOtherPlugins(former))
    await writePreparedCampaign(store, { ...former, settings: buildHeader(start).settings });
  const { pages, items, following } = same
    ? { ...former, following: 0 }
    : await addRows(store, former, start);
  const invalid = await countInvalidRows(store);
  const plans = buildFeedSpecs(feeds, pages, session);
  const grown = { items: items + invalid, invalid, following, feeds: plans };
  return (await growRunning(session, start.name, grown)) ? items - former.items : null;
}

async function addRows(
  store: Store,
  former: PreparedCampaign,
  start: CampaignStart,
): Promise<Prepared> {
  const { survey, spool } = start;
  const there = await readIds(store, former);
  const rows = survey.shares.assign(spool.items());
  const campaign = buildHeader(start);
  const prepared = await growCampaign(store, former, campaign, rows, buildOptions(start));
  // A running row was not skipped, even if its row in the manifest is invalid now.
  await writeInvalidRows(store, filterOthers(there, spool.invalid()));
  return prepared;
}

async function* filterOthers(
  there: ReadonlySet<string>,
  rows: AsyncIterable<InvalidRow>,
): AsyncGenerator<InvalidRow> {
  for await (const row of rows) if (!there.has(row.id)) yield row;
}

/** Prepares the items in the tree. Files from an earlier run are kept. */
async function prepare(store: Store, start: CampaignStart): Promise<Prepared> {
  const { survey, spool } = start;
  await checkOwner(start);
  const rows = survey.shares.assign(spool.items());
  const prepared = await prepareCampaign(store, buildHeader(start), rows, buildOptions(start));
  await writeInvalidRows(store, spool.invalid());
  return prepared;
}

function buildHeader({ name, survey, feeds, policy }: CampaignStart): CampaignHeader {
  const settings = { ...describeSettings(feeds, policy) };
  return { name, manifestDigests: survey.digests, settings };
}

function buildOptions({ cache, feeds }: CampaignStart): { readonly known: Known } {
  const known: Known = async ({ work, options: wanted, service }) => {
    const feed = feeds.find(({ reference }) => reference.service === service);
    if (!cache || !feed || work === null) return null;
    const { address } = feed.reference;
    const found = await cache.find({ work, options: wanted, address });
    return typeof found === 'string' ? null : found;
  };
  return { known };
}
