/**
 * A sample: some rows of the manifests, as a campaign of its own at the service alone or at one lane, to measure a lane or
 * to compare it with the service. Nothing but these rows is submitted.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { ServiceSettings } from '../config/services.ts';
import type { Kind, ServiceName } from '../domain/campaign.ts';
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
import { findServiceOfKind } from '../services/registry.ts';
import { shareDigest } from '../store/item-store.ts';
import { buildCampaignAddress } from '../store/layout.ts';
import { openStore } from '../store/open-store.ts';
import { listEngineLanes } from '../temporal/host/local.ts';
import { addLanes, type ManifestOptions, useLocalServices } from './intake.ts';
import type { Unmeasured } from './lanes.ts';
import type { PlanOptions } from './plan.ts';
import { readStartSettings } from './session.ts';
import { openTree, type OutputTree } from './tree.ts';

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
  options: PlanOptions,
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
