/** What starting and planning have in common: all rows are read, checked and compared with earlier results. */
import { isDeepStrictEqual } from 'node:util';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName, Problem } from '../domain/campaign.ts';
import { type LocalName, createLocalSettings, loadRecorded } from '../temporal/host/local.ts';
import { listKindNames } from '../kinds/registry.ts';
import { deriveCampaignName } from '../manifest/sources.ts';
import { listServiceNames, findServiceOfKind } from '../services/registry.ts';
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
export type IntakeOptions = ManifestOptions & RowHooks & Pick<SurveyOptions, 'onRow' | 'spool'>;

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
  const cache = options.cache !== false ? await openResultCacheIfAny(folder) : null;
  // Loaded only here: few campaigns use it.
  const isAnswered = options.services === 'local' ? await loadRecorded() : null;
  const known = listConfiguredServices(settings, options);
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
  return { name, folder, survey, needed, cache, pluginNews };
}

/** All configured services, also those that no row needs, or without a token here. */
export function listConfiguredServices(
  settings: Settings,
  { services }: Pick<ManifestOptions, 'services'>,
): readonly (ServiceSettings | UnreadyService)[] {
  const local = services && !settings.temporal ? createLocalSettings(services) : [];
  return listServiceNames().flatMap(
    (name) =>
      local.find(({ reference }) => reference.service === name) ??
      settings.services[name] ??
      settings.unready.find(({ reference }) => reference.service === name) ??
      [],
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

/** Which rows are run, and the place of the campaign among others. */
export interface RowOptions extends ManifestOptions {
  /** Runs the valid rows and skips the others, which are listed in failed.csv. */
  readonly skipInvalid?: boolean;
  /** From 1, which is served before all others, to 5; default: 3. */
  readonly priority?: number;
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
  constructor({ problems, errors, rows, items, brokenFiles }: Survey) {
    super(
      'MANIFEST_REFUSED',
      `the manifest has ${errors === 1 ? 'one error' : `${errors} errors`}; nothing was submitted`,
      'Correct the rows listed in `problems`, or set `skipInvalid` to run the others.',
    );
    this.name = 'ManifestRefusedError';
    this.problems = problems;
    this.rows = rows;
    this.errors = errors;
    this.canSkip = items > 0 && brokenFiles === 0;
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

/** @throws ManifestRefusedError; HundredfoldError `MANIFEST_EMPTY`, `CAMPAIGN_DIFFERS` */
export async function checkRows(
  manifests: readonly string[],
  options: RowOptions & IntakeOptions,
  settings: Settings,
): Promise<Intake> {
  const { skipInvalid = false, onNotice } = options;
  const intake = await prepareIntake(manifests, options, settings);
  const { survey } = intake;
  const run = chooseRows(survey, skipInvalid);
  if (run === 'none') throw new ManifestRefusedError(survey);
  if (run === 'valid')
    onNotice?.(`${survey.invalid} of ${survey.rows} rows are skipped; failed.csv will list them.`);
  await checkOwner(intake);
  return intake;
}
