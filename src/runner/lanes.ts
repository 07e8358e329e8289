/**
 * The lanes of campaigns: what earlier campaigns of the same folder tell of them (how long jobs take there, whether the
 * engine is that of the service), and samples by which they are measured and compared.
 */
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ENGINES, type Lane, type ServiceSettings } from '../config/services.ts';
import type { Kind, ServiceName, ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { MAX_NAME } from '../domain/name.ts';
import { checkManifests } from '../manifest/check.ts';
import { deriveCampaignName } from '../manifest/sources.ts';
import {
  AGREEMENT,
  type Agreements,
  findAgreements,
  generateAgreement,
} from '../report/agreement.ts';
import { parseEngineVersion } from '../report/result-tables.ts';
import { computeMedian } from '../report/run-times.ts';
import { findService, findServiceOfKind, listKindsOf } from '../services/registry.ts';
import { readItemPages } from '../store/campaign-items.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { shareDigest } from '../store/item-store.ts';
import { buildCampaignAddress, isObjectAddress } from '../store/layout.ts';
import { openStore } from '../store/open-store.ts';
import { nullIfUnreadable } from '../store/store.ts';
import { listEngineLanes } from '../temporal/host/local.ts';
import { readRemembered } from './find.ts';
import type { MeasuredLane } from './forecast.ts';
import { addLanes, type ManifestOptions, useLocalServices } from './intake.ts';
import { readStartSettings } from './session.ts';
import type { StartOptions } from './start.ts';
import type { Survey } from './survey.ts';
import { openTree, openTreeIfAny, type OutputTree } from './tree.ts';

/** The newest campaigns, and pages of each: more would not change a median. */
const MAX_TREES = 5;
const MAX_PAGES = 5;

type Site = Pick<ServiceReference, 'service' | 'address'>;
/** Feeds of a campaign or of a plan. */
type Feeds = readonly { readonly reference: Site; readonly lane?: Lane }[];

/** An engine, and where it was seen. */
interface SeenEngine {
  readonly statement: string;
  readonly where: string;
  /** When its result was fetched; ISO 8601. */
  readonly at: string;
}

/** Results of earlier campaigns, by the address of their job. */
export class EarlierResults {
  readonly #times = new Map<string, number[]>();
  readonly #engines = new Map<string, SeenEngine>();

  add(record: ItemRecord, campaign: string): void {
    const { state, service, address, kind, engine, resultFrom, finishedAt } = record;
    // A shared result is that of another item, perhaps of another day.
    if (state !== 'succeeded' || address === null || resultFrom || finishedAt === null) return;
    const ms = computeRunTime(record);
    const place = `${address} ${kind}`;
    if (ms !== null) this.#times.set(place, [...(this.#times.get(place) ?? []), ms]);
    const site = `${service} ${address}`;
    if (engine === undefined || (this.#engines.get(site)?.at ?? '') >= finishedAt) return;
    this.#engines.set(site, { statement: engine, where: `in ${campaign}`, at: finishedAt });
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
 * @throws HundredfoldError `LANE_ENGINE_UNKNOWN`, `LANE_ENGINE_DIFFERS`
 */
export function checkLanes(feeds: Feeds, earlier: EarlierResults): void {
  for (const { reference, lane } of feeds) {
    if (!lane || lane.sameEngine) continue;
    const { service, address } = reference;
    const main = feeds.find((one) => !one.lane && one.reference.service === service)?.reference;
    const theirs = main ? findEngine(main, earlier) : null;
    const ours = findLaneEngine(reference, lane, earlier);
    const isTyped = address === ENGINES;
    const place = `the lane ${lane.name} (${address})`;
    if (theirs && ours && readVersion(theirs) !== readVersion(ours))
      throw new HundredfoldError(
        'LANE_ENGINE_DIFFERS',
        `the engine of ${place} is ${describe(ours)}, and that of the service ${service} is ${describe(theirs)}`,
        isTyped
          ? `Install the engine of the service, or leave out --also engines. To see how results differ: ${COMPARE} --also engines.`
          : `Install the engine of the service there, or remove the lane. To see how results differ: ${COMPARE}. If that makes no difference to you, write sameEngine: true for the lane.`,
      );
    if (isTyped || (theirs && ours)) continue;
    throw new HundredfoldError(
      'LANE_ENGINE_UNKNOWN',
      `whether the engine of ${place} is that of the service ${service} is not known: no result of ${theirs ? 'the lane' : ours ? 'the service' : 'either'} in this output folder tells its version`,
      `Compute some rows by both and compare them: ${COMPARE}. If they are the same engine, write sameEngine: true for the lane.`,
    );
  }
}

const COMPARE = 'hundredfold run MANIFEST --compare-lanes 20';

type Engine = Omit<SeenEngine, 'at'>;

function findLaneEngine(site: Site, { engine }: Lane, earlier: EarlierResults): Engine | null {
  return engine ? { statement: engine, where: 'installed here' } : earlier.findEngine(site);
}

/** A few words for each: `big (big:8080): "real, b2bTools 3.0.9" (in night)`. */
export function describeLanes(feeds: Feeds, earlier: EarlierResults): string {
  const words = feeds.flatMap(({ reference, lane }) => {
    if (!lane) return [];
    const engine = findLaneEngine(reference, lane, earlier);
    const seen = engine ? describe(engine) : 'no result tells its engine';
    const said = lane.sameEngine ? ', sameEngine: true' : '';
    return [`${lane.name} (${reference.address}): ${seen}${said}`];
  });
  return words.join('; ');
}

/** What this project's synthetic service computes is known without a result. */
function findEngine(site: Site, earlier: EarlierResults): Engine | null {
  if (site.address === 'synthetic') return { statement: 'synthetic', where: '--services' };
  return earlier.findEngine(site);
}

/** `3.0.9` of `real, b2bTools 3.0.9`; all that is said of an engine of which no version is known. */
function readVersion({ statement }: Pick<SeenEngine, 'statement'>): string {
  return parseEngineVersion({ engine: statement }) ?? statement;
}

function describe({ statement, where }: Engine): string {
  return `"${statement}" (${where})`;
}

/*
 * A sample: some rows of the manifests, as a campaign of its own at the service alone or at one lane. Nothing but these rows
 * is submitted.
 */

export interface Sample {
  /** Of the campaign. */
  readonly name: string;
  readonly ids: ReadonlySet<string>;
  /** Where all are computed; null for the service. */
  readonly lane: string | null;
}

/** In the settings of its tree: `retry` computes it at the same place. */
const sampled = z.object({ sample: z.object({ lane: z.string().nullable() }) });

/** Undefined for a campaign that is no sample. */
export function readSampledLane(settings: unknown): string | null | undefined {
  return sampled.safeParse(settings).data?.sample.lane;
}

const placed = z.object({ url: z.string() });

/** @param services of the settings of a sample at this lane, or at the service (null) */
export function isSampleOf(
  { campaign, services: former }: Pick<OutputTree, 'campaign' | 'services'>,
  lane: string | null,
  services: Readonly<Record<string, unknown>>,
): boolean {
  const isThere = ([service, now]: [string, unknown]): boolean => {
    const [was, is] = [former[service], now].map((one) => placed.safeParse(one).data?.url);
    return was === undefined || was === is;
  };
  return readSampledLane(campaign.settings) === lane && Object.entries(services).every(isThere);
}

/**
 * Those at which the sample is computed: a lane is then the service.
 * @throws HundredfoldError `CONFIG_NO_SERVICE`: the lane was removed from the configuration
 */
export function chooseSampledFeeds(
  feeds: readonly ServiceSettings[],
  sampled: string | null,
): readonly ServiceSettings[] {
  const chosen = feeds.filter(({ lane }) => (lane?.name ?? null) === sampled);
  if (chosen.length === 0 && feeds.length > 0)
    throw new HundredfoldError(
      'CONFIG_NO_SERVICE',
      `the sample was computed at the lane ${sampled ?? ''}, and none has that name now`,
      'Name the lane in the configuration again, or compare under another --name.',
    );
  return chosen.map(({ lane: _, ...own }) => own);
}

/** Ids of the rows that need a job of their own, by kind, in the order of the table. */
export type RowsByKind = ReadonlyMap<Kind, readonly string[]>;

/** Rows with an error are left out. */
export async function listSampleRows(
  manifests: readonly string[],
  { allowOutside = false }: Pick<ManifestOptions, 'allowOutside'>,
): Promise<RowsByKind> {
  const rows = new Map<Kind, string[]>();
  const seen = new Set<string>();
  for await (const { item } of checkManifests(manifests, { allowOutside })) {
    if (item === null || item.adopts || seen.has(shareDigest(item))) continue;
    seen.add(shareDigest(item));
    rows.set(item.kind, [...(rows.get(item.kind) ?? []), item.id]);
  }
  return rows;
}

/** Spread evenly over the kinds, and of each kind over the table: the same for the same manifests. */
export function chooseEvenly(rows: RowsByKind, total: number): ReadonlySet<string> {
  const chosen: string[] = [];
  // What a kind with few rows leaves, the others get.
  const kinds = [...rows.values()].sort((a, b) => a.length - b.length);
  kinds.forEach((ids, place) => {
    const share = Math.ceil((total - chosen.length) / (kinds.length - place));
    chosen.push(...pickEvenly(ids, share));
  });
  return new Set(chosen);
}

/** From the middle of each of `n` parts. */
export function pickEvenly(ids: readonly string[], n: number): readonly string[] {
  const most = Math.min(n, ids.length);
  return Array.from(
    { length: most },
    (_, i) => ids[Math.floor(((i + 0.5) * ids.length) / most)],
  ).filter((id) => id !== undefined);
}

/** Rows of a kind are enough to know how long they take. */
const PROBED = 3;

/** A lane, and kinds of the campaign whose run time there is not known. */
export interface Unmeasured {
  readonly lane: string;
  readonly kinds: readonly Kind[];
}

/** Three rows of each kind whose run time at a lane is not known. */
export async function prepareProbes(
  manifests: readonly string[],
  options: Pick<ManifestOptions, 'allowOutside' | 'name'>,
  unmeasured: readonly Unmeasured[],
): Promise<readonly Sample[]> {
  if (unmeasured.length === 0) return [];
  const { name = deriveCampaignName(manifests) } = options;
  const rows = await listSampleRows(manifests, options);
  return unmeasured.map(({ lane, kinds }) => {
    const ids = kinds.flatMap((kind) => pickEvenly(rows.get(kind) ?? [], PROBED));
    return { name: nameSample(name, `-probe-${lane}`), ids: new Set(ids), lane };
  });
}

function nameSample(campaign: string, ending: string): string {
  return `${[...campaign].slice(0, MAX_NAME - ending.length).join('')}${ending}`;
}

/** The same rows at the service, which is the first, and at each lane that computes their kinds. */
export interface PreparedComparison {
  readonly samples: readonly Sample[];
  /** Folder or s3:// address of their trees. */
  readonly out: string;
  /** By the name of a lane, its places in the configuration. */
  readonly keys: Readonly<Record<string, readonly LaneKey[]>>;
}

interface LaneKey {
  readonly service: ServiceName;
  /** `services.predictions.lanes.0` */
  readonly key: string;
}

/**
 * @param total number of rows
 * @throws HundredfoldError `USAGE`: no lane computes the rows; `CONFIG_*`, `LOCAL_SERVICES_FAILED`
 */
export async function prepareComparison(
  manifests: readonly string[],
  options: StartOptions,
  total: number,
): Promise<PreparedComparison> {
  const { name = deriveCampaignName(manifests), services = null, also } = options;
  const settings = await addLanes(readStartSettings(options), also, listEngineLanes);
  const { lanes } = useLocalServices(settings, services);
  const has = (kind: Kind, lane?: string) =>
    lanes.some(
      (one) =>
        one.reference.service === findServiceOfKind(kind).name &&
        (lane === undefined || one.lane?.name === lane),
    );
  const all = [...(await listSampleRows(manifests, options))];
  if (all.length === 0)
    throw new HundredfoldError(
      'USAGE',
      'no row of the manifest can be computed',
      'hundredfold plan with the same manifest says why.',
    );
  const rows = all.filter(([kind]) => has(kind));
  const ids = chooseEvenly(new Map(rows), total);
  const samples = [...new Set(lanes.flatMap(({ lane }) => lane?.name ?? []))].flatMap((lane) => {
    const own = rows.flatMap(([kind, some]) => (has(kind, lane) ? some : []));
    const used = new Set(own.filter((id) => ids.has(id)));
    return used.size === 0 ? [] : [{ name: nameSample(name, `-${lane}`), ids: used, lane }];
  });
  if (samples.length === 0)
    throw new HundredfoldError('USAGE', 'no lane computes these rows', ADD_A_LANE);
  const keys = Object.groupBy(lanes, ({ lane }) => lane?.name ?? '');
  return {
    samples: [{ name: nameSample(name, '-service'), ids, lane: null }, ...samples],
    out: options.out ?? settings.storeUrl,
    keys: Object.fromEntries(
      Object.entries(keys).map(([lane, some = []]) => [lane, some.map(nameKey(lanes))]),
    ),
  };
}

/** What is missing where lanes are asked for and there are none. */
export const ADD_A_LANE =
  'Add --also engines, or name a lane at its service in the configuration (docs/engines.md).';

function nameKey(lanes: readonly ServiceSettings[]) {
  return ({ reference: { service }, lane }: ServiceSettings): LaneKey => {
    const own = lanes.filter(({ reference }) => reference.service === service);
    const place = own.findIndex((one) => one.lane?.name === lane?.name);
    return { service, key: `services.${service}.lanes.${place}` };
  };
}

/** What a lane computes, beside the service. */
export interface ComparedLane extends Agreements {
  readonly lane: string;
  /** Values were judged, none differs by more than its tolerance, and no row has a result of only one. */
  readonly agrees: boolean;
  readonly engines: readonly [service: readonly string[], lane: readonly string[]];
  /** Folder of the page and of the table of all differences. */
  readonly folder: string;
  /** Places in the configuration of the lane at services whose results were judged. */
  readonly keys: readonly string[];
}

/** @param folder where a folder for each lane is written */
export async function compareSamples(
  { samples: [main, ...others], out, keys }: PreparedComparison,
  folder: string,
): Promise<readonly ComparedLane[]> {
  const compared: ComparedLane[] = [];
  const open = ({ name }: Sample) => openTree(buildCampaignAddress(out, name));
  for (const sample of others) {
    if (!main || sample.lane === null) continue;
    const [a, b] = [await open(main), await open(sample)];
    const to = join(folder, `${a.name}-${b.name}`);
    const { kinds } = await a.compare(b, to);
    const { pairs, values, ...found } = await findAgreements(a, b);
    const table = Readable.from(generateAgreement({ pairs, values, ...found }));
    await (await openStore(to)).write(AGREEMENT, table);
    const alone = found.alone.filter((id) => sample.ids.has(id));
    const isJudged = ({ service }: LaneKey): boolean => {
      const own = values.filter(({ kind }) => findServiceOfKind(kind).name === service);
      return own.length > 0 && own.every((one) => one.pairs > 0);
    };
    const judged = (keys[sample.lane] ?? []).filter(isJudged);
    const isWithin = values.every(({ differing }) => differing.length === 0);
    compared.push({
      lane: sample.lane,
      agrees: isWithin && alone.length === 0 && judged.length > 0,
      pairs,
      alone,
      values,
      engines: [
        [...new Set(kinds.flatMap(({ enginesA }) => enginesA))],
        [...new Set(kinds.flatMap(({ enginesB }) => enginesB))],
      ],
      folder: to,
      keys: judged.map(({ key }) => key),
    });
  }
  return compared;
}
