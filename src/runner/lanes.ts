/**
 * What earlier campaigns of the same folder tell of lanes: how long jobs take there, and whether the engine is that of the
 * service.
 */
import { dirname } from 'node:path';
import { ENGINES, type Lane } from '../config/services.ts';
import type { Kind, ServiceName, ServiceReference } from '../domain/campaign.ts';
import {
  COMPARE_ANEW,
  COMPARE_LANES,
  describeDifference,
  describeEngine,
  haveSameVersion,
  type SeenEngine,
} from '../domain/engines.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { computeMedian } from '../report/run-times.ts';
import { findService, listKindsOf } from '../services/registry.ts';
import { readItemPages } from '../store/campaign-items.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { isObjectAddress } from '../store/layout.ts';
import { nullIfUnreadable } from '../store/store.ts';
import { readRemembered } from './find.ts';
import type { MeasuredLane } from './forecast.ts';
import type { Survey } from './survey.ts';
import { openTreeIfAny, type OutputTree } from './tree.ts';

/** The newest campaigns, and pages of each: more would not change a median. */
const MAX_TREES = 5;
const MAX_PAGES = 5;

type Site = Pick<ServiceReference, 'service' | 'address'>;
/** Feeds of a campaign or of a plan. */
type Feeds = readonly { readonly reference: Site; readonly lane?: Lane }[];

/** Results of earlier campaigns, by the address of their job. */
export class EarlierResults {
  readonly #times = new Map<string, number[]>();
  /** With the time when the result was fetched; ISO 8601. */
  readonly #engines = new Map<string, SeenEngine & { readonly at: string }>();

  add(record: ItemRecord, campaign: string): void {
    const { state, service, address, kind, engine, resultFrom, finishedAt } = record;
    // A shared result is that of another item, perhaps of another day.
    if (state !== 'succeeded' || address === null || resultFrom || finishedAt === null) return;
    const ms = computeRunTime(record);
    const place = `${address} ${kind}`;
    if (ms !== null) this.#times.set(place, [...(this.#times.get(place) ?? []), ms]);
    const site = `${service} ${address}`;
    if (engine === undefined || (this.#engines.get(site)?.at ?? '') >= finishedAt) return;
    this.#engines.set(site, { engine, where: `in ${campaign}`, at: finishedAt });
  }

  /** In ms; null if nothing of the kind was computed there. */
  findMedian(address: string, kind: Kind): number | null {
    const times = this.#times.get(`${address} ${kind}`) ?? [];
    return times.length === 0 ? null : computeMedian(times);
  }

  /** That of the last result; null if there is none, or it does not say. */
  findEngine({ service, address }: Site): SeenEngine | null {
    return this.#engines.get(`${service} ${address}`) ?? null;
  }
}

/** Without the time in the queue of the service, where it tells when a job began. Null for a job that was asked for again. */
function computeRunTime({ timing, submittedAt, finishedAt, generation }: ItemRecord) {
  if (typeof timing?.elapsedSeconds === 'number') return 1_000 * timing.elapsedSeconds;
  if (generation > 0 || submittedAt === null || finishedAt === null) return null;
  return Date.parse(finishedAt) - Date.parse(submittedAt);
}

/** @param folder the tree of the campaign; those beside it were computed on the same machines. Without lanes, nothing is read. */
export async function readEarlierResults(feeds: Feeds, folder: string): Promise<EarlierResults> {
  const results = new EarlierResults();
  if (isObjectAddress(folder) || feeds.every(({ lane }) => !lane)) return results;
  const beside = readRemembered().filter((one) => dirname(one.folder) === dirname(folder));
  // First its own results, however many campaigns were begun since.
  beside.sort((a, b) => Number(b.folder === folder) - Number(a.folder === folder));
  for (const { name, folder: place } of beside.slice(0, MAX_TREES)) {
    const tree = await openTreeIfAny(place, name).catch(nullIfUnreadable);
    if (tree) await addTree(tree, results);
  }
  return results;
}

/** The service takes rows from the front, and lanes take them from the end. */
async function addTree({ store, campaign }: OutputTree, results: EarlierResults): Promise<void> {
  const last = campaign.pages - 1;
  const pages = Array.from({ length: MAX_PAGES }, (_, i) =>
    Math.round((i * last) / (MAX_PAGES - 1)),
  );
  for await (const page of readItemPages(store, campaign, new Set(last < 0 ? [] : pages)))
    for (const { record } of page) if (record) results.add(record, campaign.name);
}

export function measureLanes(feeds: Feeds, earlier: EarlierResults): readonly MeasuredLane[] {
  const lanes = feeds.flatMap(({ reference, lane }) => (lane ? [{ ...reference, ...lane }] : []));
  return lanes.map(({ service, address, name, maxOpen }) => {
    const medians = listKindsOf(findService(service)).flatMap((kind) => {
      const median = earlier.findMedian(address, kind);
      return median === null ? [] : [[kind, median] as const];
    });
    return { service, name, maxOpen, jobMs: Object.fromEntries(medians) };
  });
}

/** A lane, and kinds of the campaign whose run time there is not known. */
export interface Unmeasured {
  readonly lane: string;
  readonly kinds: readonly Kind[];
}

export function findUnmeasured(
  lanes: readonly MeasuredLane[],
  { jobs }: Pick<Survey, 'jobs'>,
): readonly Unmeasured[] {
  const missing = lanes.map(({ service, name, jobMs }) => {
    const kinds = listKindsOf(findService(service));
    return { lane: name, kinds: kinds.filter((kind) => jobs[kind] && jobMs[kind] === undefined) };
  });
  // Lanes of two services may have one name, as the installed engines have.
  return [...Map.groupBy(missing, ({ lane }) => lane)].flatMap(([lane, all]) => {
    const kinds = all.flatMap((one) => one.kinds);
    return kinds.length === 0 ? [] : [{ lane, kinds }];
  });
}

/**
 * The rows of one table must not come from two versions of an engine. `sameEngine` is the user's word. Without it, both
 * versions must be known and equal; the installed engines were asked for, so there only a known difference refuses.
 * @returns what results of the services tell: a campaign goes on comparing (src/workflows/engines.ts)
 * @throws HundredfoldError `LANE_ENGINE_UNKNOWN`, `LANE_ENGINE_DIFFERS`
 */
export function checkLanes(feeds: Feeds, earlier: EarlierResults): ServiceEngines {
  const engines: Record<ServiceName, Pick<SeenEngine, 'engine'>> = {};
  for (const { reference, lane } of feeds) {
    if (!lane || lane.sameEngine) continue;
    const { service, address } = reference;
    const main = feeds.find((one) => !one.lane && one.reference.service === service)?.reference;
    const theirs = main ? findEngine(main, earlier) : null;
    if (theirs) engines[service] = { engine: theirs.engine };
    const ours = findLaneEngine(reference, lane, earlier);
    const isTyped = address === ENGINES;
    if (theirs && ours && !haveSameVersion(theirs, ours))
      throw new HundredfoldError(
        'LANE_ENGINE_DIFFERS',
        describeDifference({ name: lane.name, address, service }, ours, theirs),
        isTyped
          ? `Install the engine of the service, or leave out --also engines. To see how results differ: ${COMPARE_ANEW} --also engines.`
          : `Install the engine of the service there, or remove the lane. To see how results differ: ${COMPARE_ANEW}. If that makes no difference to you, write sameEngine: true for the lane.`,
      );
    if (isTyped || (theirs && ours)) continue;
    throw new HundredfoldError(
      'LANE_ENGINE_UNKNOWN',
      `whether the engine of the lane ${lane.name} (${address}) is that of the service ${service} is not known: no result of ${theirs ? 'the lane' : ours ? 'the service' : 'either'} in this output folder tells its version`,
      `Compute some rows by both and compare them: ${COMPARE_LANES}. If they are the same engine, write sameEngine: true for the lane.`,
    );
  }
  return engines;
}

/** What their results tell; nothing of those that do not. */
export type ServiceEngines = Readonly<Record<ServiceName, Pick<SeenEngine, 'engine'>>>;

function findLaneEngine(site: Site, { engine }: Lane, earlier: EarlierResults): SeenEngine | null {
  return engine ? { engine, where: 'installed here' } : earlier.findEngine(site);
}

/** A few words for each: `big (big:8080): "real, b2bTools 3.0.9" (in night)`. */
export function describeLanes(feeds: Feeds, earlier: EarlierResults): string {
  const words = feeds.flatMap(({ reference, lane }) => {
    if (!lane) return [];
    const engine = findLaneEngine(reference, lane, earlier);
    const seen = engine ? describeEngine(engine) : 'no result tells its engine';
    const said = lane.sameEngine ? ', sameEngine: true' : '';
    return [`${lane.name} (${reference.address}): ${seen}${said}`];
  });
  return words.join('; ');
}

/** What this project's synthetic service computes is known without a result. */
function findEngine(site: Site, earlier: EarlierResults): SeenEngine | null {
  if (site.address === 'synthetic') return { engine: 'synthetic', where: '--services' };
  return earlier.findEngine(site);
}
