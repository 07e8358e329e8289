/** What `run` and `plan` do alike before anything is submitted: all rows are read, checked and compared with what is known. */
import type { ServiceSettings, Settings, UnreadyService } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { KINDS, SERVICES, SERVICE_OF_KIND, type ServiceName } from '../domain/item.ts';
import { localSettings } from '../host/local-settings.ts';
import { campaignName } from '../manifest/name.ts';
import type { Spool } from '../plan/spool.ts';
import { surveyManifests, type Survey, type SurveyOptions } from '../plan/survey.ts';
import { campaignAddress } from '../store/address.ts';
import { openStoreIfAny } from '../store/open-store.ts';
import { PREPARED_CAMPAIGN } from '../store/layout.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import { resultCacheIfAny, type ResultCache } from '../store/result-cache.ts';
import type { Store } from '../store/store.ts';
import type { ServiceFlags } from './flags.ts';
import { ProblemList } from './problem-list.ts';

export interface IntakeFlags extends ServiceFlags {
  readonly out?: string;
  readonly name?: string;
  readonly allowOutside?: boolean;
  /** False with --no-cache. */
  readonly cache?: boolean;
  readonly refresh?: boolean;
}

export interface Intake {
  readonly name: string;
  /** The campaign's output tree, which may not be there yet. */
  readonly folder: string;
  readonly survey: Survey;
  readonly problems: ProblemList;
  /** Services that the rows need. */
  readonly needed: ReadonlySet<ServiceName>;
  readonly cache: ResultCache | null;
}

/**
 * A campaign grows by a longer manifest. One that has not a single row of it is another campaign, which was given its
 * name by mistake: two tables may well have one file name.
 * @throws HundredfoldError `CAMPAIGN_DIFFERS`
 */
export async function checkSameCampaign({ name, folder, survey }: Intake): Promise<void> {
  if (survey.known > 0) return;
  const tree = await preparedTree(folder);
  const former = tree && (await readPreparedCampaign(tree));
  if (!former || former.items === 0) return;
  const files = former.manifestDigests.map(({ file }) => file).join(', ');
  throw new HundredfoldError({
    code: 'CAMPAIGN_DIFFERS',
    message: `the campaign ${name} in ${folder} is of other rows (${files}), and has none of these`,
    remedy: 'Give this one another name with --name, or another folder with --out.',
    exitCode: EXIT.refused,
  });
}

/** Looked for, not made: to plan changes nothing. */
async function preparedTree(folder: string): Promise<Store | null> {
  const store = await openStoreIfAny(folder);
  return store !== null && (await store.exists(PREPARED_CAMPAIGN)) ? store : null;
}

interface TakingIn extends Pick<SurveyOptions, 'onFate'> {
  readonly spool?: Spool;
  /** Takes the lines about problems; to stderr when it is left out. */
  readonly tell?: (line: string) => void;
}

export async function takeIn(
  manifests: readonly string[],
  flags: IntakeFlags,
  settings: Settings,
  { tell, ...rest }: TakingIn = {},
): Promise<Intake> {
  const name = flags.name ?? campaignName(manifests);
  const folder = campaignAddress(flags.out ?? settings.storeUrl, name);
  const problems = new ProblemList(tell);
  const tree = await preparedTree(folder);
  const wanted = flags.cache !== false && !flags.refresh;
  const cache = wanted ? await resultCacheIfAny(folder) : null;
  const survey = await surveyManifests(manifests, {
    ...{ allowOutside: flags.allowOutside ?? false, tree, cache, ...rest },
    addresses: addressesOf(settings, flags),
    onProblem: (problem) => problems.add(problem),
  });
  problems.sayRest();
  const kinds = KINDS.filter((kind) => survey.kinds[kind] > 0);
  const needed = new Set(kinds.map((kind) => SERVICE_OF_KIND[kind]));
  return { name, folder, survey, problems, needed, cache };
}

/** The services that are known, whether the rows need them or not, and whether their tokens are here or not. */
export function knownServices(
  settings: Settings,
  { services }: ServiceFlags,
): readonly (ServiceSettings | UnreadyService)[] {
  const local = services === 'local' && !settings.temporal ? localSettings() : [];
  return SERVICES.flatMap(
    (name) =>
      local.find(({ reference }) => reference.service === name) ??
      settings.services[name] ??
      settings.unready.find(({ reference }) => reference.service === name) ??
      [],
  );
}

function addressesOf(settings: Settings, flags: ServiceFlags): SurveyOptions['addresses'] {
  const known = knownServices(settings, flags);
  return Object.fromEntries(known.map(({ reference }) => [reference.service, reference.address]));
}
