/**
 * What starting and planning have in common: all rows are read, checked and compared with earlier results, and the services
 * of their jobs are chosen.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName, Problem } from '../domain/campaign.ts';
import {
  type LocalName,
  findLocalName,
  createLocalSettings,
  loadRecorded,
  useEngines,
} from '../temporal/host/local.ts';
import { type NetworkSettings, revealNetwork } from '../config/network.ts';
import { createHttp } from '../services/http.ts';
import { recognise, type Recognition } from '../services/recognise.ts';
import { listKindNames } from '../kinds/registry.ts';
import { deriveCampaignName } from '../manifest/sources.ts';
import { listServiceNames, findService, findServiceOfKind } from '../services/registry.ts';
import {
  listPluginNews,
  requirePlugins,
  readPreparedCampaign,
} from '../store/prepared-campaign.ts';
import { buildCampaignAddress, PREPARED_CAMPAIGN } from '../store/layout.ts';
import { openStoreIfAny } from '../store/open-store.ts';
import { type ResultCache, openResultCacheIfAny } from '../store/deliver.ts';
import { nullIfUnreadable, type Store } from '../store/store.ts';
import type { OnNotice } from './session.ts';
import { type Survey, surveyManifests, type SurveyOptions } from './survey.ts';

export interface Intake {
  readonly name: string;
  /** The campaign's output tree, which may not exist yet. */
  readonly folder: string;
  readonly survey: Survey;
  /** Services that the rows need. */
  readonly needed: ReadonlySet<ServiceName>;
  /** With the services that they can be sent to. */
  readonly settings: Settings;
  readonly cache: ResultCache | null;
  /** Plugins that are new to the tree, or have changed, a sentence each. */
  readonly pluginNews: readonly string[];
}

/**
 * A campaign grows by a longer manifest. A manifest without any of its rows belongs to another campaign that got the
 * same name by mistake: two tables may have the same file name.
 * @throws HundredfoldError `CAMPAIGN_DIFFERS`: another campaign is in the folder
 */
export async function checkOwner({
  name,
  folder,
  survey,
}: Pick<Intake, 'name' | 'folder' | 'survey'>): Promise<void> {
  const tree = await openPreparedTree(folder);
  const former = tree && (await readPreparedCampaign(tree));
  if (!former) return;
  if (former.name !== name)
    throw new HundredfoldError(
      'CAMPAIGN_DIFFERS',
      `${folder} is the output of the campaign ${former.name}`,
      'Choose another folder with --out.',
    );
  if (survey.known > 0 || former.items === 0) return;
  // Prepared by another command since the rows were compared with the tree.
  if (isDeepStrictEqual(former.manifestDigests, survey.digests)) return;
  const files = former.manifestDigests.map(({ file }) => file).join(', ');
  throw new HundredfoldError(
    'CAMPAIGN_DIFFERS',
    `the campaign ${name} in ${folder} has other rows (${files}), and none of the given ones`,
    'Choose another name with --name, or another folder with --out.',
  );
}

/** Only searched, not created: `plan` changes nothing. */
async function openPreparedTree(folder: string): Promise<Store | null> {
  const store = await openStoreIfAny(folder);
  return store !== null && (await store.exists(PREPARED_CAMPAIGN)) ? store : null;
}

/**
 * Which rows can be run: one error refuses all of them, unless the others are asked for.
 * @throws HundredfoldError `MANIFEST_EMPTY`
 */
export function chooseRows(
  { errors, brokenFiles, items }: Survey,
  skipInvalid: boolean,
): 'all' | 'valid' | 'none' {
  if (errors > 0) return skipInvalid && brokenFiles === 0 && items > 0 ? 'valid' : 'none';
  if (items > 0) return 'all';
  throw new HundredfoldError(
    'MANIFEST_EMPTY',
    'the manifest has no rows',
    'Add a row for each molecule, sequence, alignment or shift file: docs/manifest.md.',
  );
}

/** Which rows are read, and what is told of them. */
export type IntakeOptions = ManifestOptions &
  RowHooks &
  Pick<SurveyOptions, 'onRow' | 'only' | 'spool'>;

/** @throws StoreError `TREE_OTHER_PLUGIN`: it has rows of a plugin that is not loaded */
export async function prepareIntake(
  manifests: readonly string[],
  options: IntakeOptions,
  settings: Settings,
): Promise<Intake> {
  const name = options.name ?? deriveCampaignName(manifests);
  const folder = buildCampaignAddress(options.out ?? settings.storeUrl, name);
  const tree = await openPreparedTree(folder);
  const former = tree && (await readPreparedCampaign(tree).catch(nullIfUnreadable));
  if (tree && former) requirePlugins(tree, former, 'any');
  // A sample is computed.
  const cache =
    options.cache !== false && !options.only ? await openResultCacheIfAny(folder) : null;
  // Loaded only here: few campaigns use it.
  const isAnswered = options.services === 'local' ? await loadRecorded() : null;
  const meant = useLocalServices(settings, options.services);
  const known = listConfiguredServices(meant);
  const addresses = known.map(({ reference: { service, address } }) => [service, address]);
  const survey = await surveyManifests(manifests, {
    ...options,
    ...(isAnswered && { isAnswered }),
    tree,
    cache,
    addresses: Object.fromEntries(addresses) as Record<string, string>,
  });
  options.onChecked?.();
  const kinds = listKindNames().filter((kind) => (survey.kinds[kind] ?? 0) > 0);
  const needed = new Set(kinds.map((kind) => findServiceOfKind(kind).name));
  const pluginNews = listPluginNews(former, kinds);
  return { name, folder, survey, needed, settings: meant, cache, pluginNews };
}

/** All of them, also those that no row needs, or without a token here. */
export function listConfiguredServices({
  services,
  unready,
}: Settings): readonly (ServiceSettings | UnreadyService)[] {
  return listServiceNames().flatMap(
    (name) => services[name] ?? unready.find(({ reference }) => reference.service === name) ?? [],
  );
}

/** Which rows a campaign has, at which services, and where its output goes. */
export interface ManifestOptions {
  /**
   * `local`: the two services of this project, with the embedded server and recorded results; `synthetic`: with results
   * of the right form for any input. Default: the configured services.
   */
  readonly services?: LocalName;
  /** The folder, or s3:// address, that contains the output trees; default: `store.url` of the configuration. */
  readonly out?: string;
  /** Name of the campaign; default: derived from the manifest's file name. */
  readonly name?: string;
  /** Input files may be outside the folder of their manifest. */
  readonly allowOutside?: boolean;
  /** False: results of earlier campaigns are not used, and none are kept for later ones. */
  readonly cache?: boolean;
}

/** Rows were refused, and nothing was submitted. */
export class ManifestRefusedError extends HundredfoldError {
  /** All errors and warnings. */
  readonly problems: readonly Problem[];
  /** Rows that were read, valid or not. */
  readonly rows: number;
  /** Number of errors. */
  readonly errors: number;
  /** The other rows can be run with `skipInvalid`. */
  readonly canSkip: boolean;

  /** @internal */
  constructor(survey: Survey) {
    const { problems, errors, rows } = survey;
    super(
      'MANIFEST_REFUSED',
      `the manifest has ${errors === 1 ? 'one error' : `${errors} errors`}; nothing was submitted`,
      'Correct the rows listed in `problems`, or set `skipInvalid` to run the others.',
    );
    this.name = 'ManifestRefusedError';
    this.problems = problems;
    this.rows = rows;
    this.errors = errors;
    this.canSkip = chooseRows(survey, true) === 'valid';
  }
}

/** What is told while rows are checked. */
export interface RowHooks {
  /** Called for every problem as it is found. */
  readonly onProblem?: (problem: Problem) => void;
  /** Called once all rows are checked, before one of them is run. */
  readonly onChecked?: () => void;
  /** Gets each line for people; without it, they are events. */
  readonly onNotice?: OnNotice;
  /** Stops the start, and ends `Campaign.events()`. The campaign itself is durable and is not cancelled. */
  readonly signal?: AbortSignal;
}

/* Which services the jobs go to, and whether they are at their addresses */

/**
 * Services of this project come first, if they are named: with them, lanes of other machines are not used.
 * @throws HundredfoldError `CONFIG_INVALID`
 */
export function useLocalServices(settings: Settings, local: LocalName | null = null): Settings {
  if (local === null) return settings;
  const { temporal, services, unready, lanes } = settings;
  if (temporal)
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `--services ${local} needs the embedded server, and temporal.address is ${temporal.address}`,
      'Omit temporal.address, or start `hundredfold services` and configure its addresses under services:.',
    );
  const own = Object.fromEntries(
    createLocalSettings(local).map((one) => [one.reference.service, one]),
  );
  return {
    ...settings,
    services: { ...services, ...own },
    unready: unready.filter(({ reference }) => !(reference.service in own)),
    lanes: lanes.filter(({ reference }) => findLocalName(reference.address) !== null),
  };
}

interface Choice {
  /** Required services. */
  readonly needed: ReadonlySet<ServiceName>;
  /** Services that are used if they are configured. */
  readonly optional?: ReadonlySet<string>;
  /** Who needs them, for people: `the manifest`. */
  readonly who: string;
}

/** Each with its lanes. @throws HundredfoldError `CONFIG_NO_SERVICE`, and why a configured one cannot be used */
export function chooseServices(
  { services, unready, lanes }: Settings,
  { needed, optional = new Set(), who }: Choice,
): readonly ServiceSettings[] {
  const missing = [...needed].filter((name) => !services[name]);
  for (const { reference, reason } of unready)
    if (missing.includes(reference.service)) throw reason;
  if (missing.length > 0) throw createNoServiceError(missing, who);
  const names = listServiceNames().filter((name) => needed.has(name) || optional.has(name));
  return names.flatMap((name) => [
    ...[services[name] ?? []].flat(),
    ...lanes.filter(({ reference }) => reference.service === name),
  ]);
}

/**
 * With the lanes of `--also`.
 * @param find what is installed: for a run, each host of the folder runs them from now on
 * @throws HundredfoldError `CONFIG_INVALID`, `LOCAL_SERVICES_FAILED`
 */
export async function addLanes(
  settings: Settings,
  also: 'engines' | undefined,
  find: (dir: string) => Promise<readonly ServiceSettings[]> = useEngines,
): Promise<Settings> {
  if (also === undefined) return settings;
  if (settings.temporal)
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `--also engines needs the embedded server, and temporal.address is ${settings.temporal.address}`,
      'Start `hundredfold services --engine real --limit 0` where the engines are, and name its address in `lanes` of the service.',
    );
  const lanes = await find(settings.embeddedDir);
  return { ...settings, lanes: [...settings.lanes, ...lanes] };
}

function formatExample(service: ServiceName): string {
  const { url, secrets } = findService(service);
  const path = URL.parse(url.example ?? '')?.pathname ?? '/';
  const parts = [
    ...(url.default === undefined ? [`url: https://HOST${path.replace(/\/$/, '')}`] : []),
    ...Object.entries(secrets).map(([key, { env }]) => `${key}: { env: ${env} }`),
  ];
  return `${service}: { ${parts.join(', ')} }`;
}

/** Shows both ways to continue. */
function createNoServiceError(missing: readonly ServiceName[], who: string): HundredfoldError {
  const noun = missing.length === 1 ? 'service' : 'services';
  const names = missing.map((name) => `"${name}"`).join(' and ');
  return new HundredfoldError(
    'CONFIG_NO_SERVICE',
    `${who} needs the ${noun} ${names}, and none is configured`,
    [
      'To try it out on this machine: add --services local (recorded results, for the examples only)',
      '  or --services synthetic (made-up results of the right form, for any input).',
      '  To use the real ones, write a hundredfold.yaml (docs/configuration.md says more):',
      '    services:',
      ...missing.map((name) => `      ${formatExample(name)}`),
    ].join('\n'),
  );
}

/** Milliseconds for all looks at one service, and for one of its answers. */
const TIMEOUT_MS = 15_000;
const ANSWER_MS = 5_000;

type Site = ServiceSettings | UnreadyService;

export async function recogniseService(site: Site, network: NetworkSettings): Promise<Recognition> {
  const { url, config, reference } = site;
  const secrets = 'secrets' in site ? Object.values(site.secrets).map((one) => one.reveal()) : [];
  const { service } = reference;
  const options = { deadlineMs: ANSWER_MS, network: revealNetwork(network) };
  const http = createHttp({ service, secrets, ...options });
  try {
    return await recognise(http, { service, config, url }, AbortSignal.timeout(TIMEOUT_MS));
  } finally {
    await http.close();
  }
}

/** `services.predictions.url`, or `services.predictions.lanes, big: url`. */
export function nameUrlKey(site: Site): string {
  const key = `services.${site.reference.service}`;
  return 'lane' in site ? `${key}.lanes, ${site.lane.name}: url` : `${key}.url`;
}

/** What to write instead of an address that is wrong. */
export function chooseRemedy(
  site: Site,
  { better }: Extract<Recognition, { type: 'wrong' }>,
): string {
  const { service } = site.reference;
  const key = nameUrlKey(site);
  if (better === null) {
    const { example } = findService(service).url;
    const like = example === undefined ? '' : `, such as ${example}`;
    return `Write at ${key} the address that the operators of the service gave you${like}.`;
  }
  const other = Object.entries(better.config).map(
    ([name, value]) => ` and services.${service}.${name}: ${String(value)}`,
  );
  return `Write ${key}: ${better.url}${other.join('')}.`;
}

/**
 * Throws SERVICE_URL_WRONG if another service answers at the address. A service that is down or refuses access is not an
 * error: the campaign waits for it. Nor is a wrong answer if the campaign `resumes`: its jobs were accepted there before.
 */
export async function checkServices(
  feeds: readonly ServiceSettings[],
  { resumes, onNotice }: { readonly resumes: boolean; readonly onNotice: OnNotice },
): Promise<void> {
  const remote = feeds.filter(({ reference }) => findLocalName(reference.address) === null);
  const seen = await Promise.all(
    remote.map(async (feed) => ({ feed, found: await recogniseService(feed, feed.network) })),
  );
  for (const { feed, found } of seen) {
    if (found.type === 'right') continue;
    const { lane, reference } = feed;
    if (found.type === 'wrong' && !resumes)
      throw new HundredfoldError(
        'SERVICE_URL_WRONG',
        `${nameUrlKey(feed)}: ${found.message}; nothing was submitted`,
        chooseRemedy(feed, found),
      );
    onNotice(`${reference.service}${lane ? `, lane ${lane.name}` : ''}: ${found.message}.`);
    const hint = found.type === 'wrong' ? ` ${chooseRemedy(feed, found)}` : '';
    const waits = lane
      ? 'The campaign goes on without this lane until it works.'
      : feeds.some((one) => one.lane && one.reference.service === reference.service)
        ? 'The rows go on in the other lanes until the service works.'
        : 'The campaign waits until the service works.';
    onNotice(`  ${waits}${hint}`);
  }
}
