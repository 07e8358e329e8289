/** Checks manifests and computes what a campaign would do. Submits nothing and does not write to the output tree. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readBudgets } from '../activities/budget-run.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError, toReason } from '../domain/errors.ts';
import { isObjectAddress } from '../store/layout.ts';
import {
  estimateDisk,
  findEnd,
  forecastCampaign,
  formatEnd,
  type LaneForecast,
  sumJobs,
  type ServiceForecast,
} from './forecast.ts';
import {
  addLanes,
  checkOwner,
  listConfiguredServices,
  type Intake,
  type IntakeOptions,
  type ManifestOptions,
  prepareIntake,
  chooseServices,
} from './intake.ts';
import {
  checkLanes,
  type EarlierResults,
  findUnmeasured,
  measureLanes,
  readEarlierResults,
  type Unmeasured,
} from './lanes.ts';
import { checkFolder } from './obstacles.ts';
import type { CountedRows } from './survey.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import { listEngineLanes } from '../temporal/host/local.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';
import {
  type ConfigurationOptions,
  ignoreNotices,
  lookInSession,
  type OnNotice,
  readSettings,
} from './session.ts';

/** How a campaign is planned. */
export type PlanOptions = ManifestOptions &
  ConfigurationOptions & {
    /** As of `startCampaign`. */
    readonly also?: 'engines';
  };

/** When the jobs of one service would be done. */
export interface PlannedService {
  /** `molecules` or `predictions`. */
  readonly service: string;
  /** Jobs to submit. */
  readonly jobs: number;
  /** Slots that are free now; null without a limit. */
  readonly free: number | null;
  /** ISO 8601, UTC; null when the budget allows no jobs. */
  readonly endsAt: string | null;
  /** Lanes that share the jobs, with their part; the service has the others. Null: not measured yet. */
  readonly lanes?: readonly LaneForecast[];
}

/** What `startCampaign` would refuse besides rows with errors: a service that is not configured, a token, the output. */
export type Refusal = Pick<HundredfoldError, 'code' | 'message' | 'remedy'>;

/** What a campaign would do: the `--json` document of `plan`. */
export interface Plan extends CountedRows {
  /** Name of the campaign. */
  readonly campaign: string;
  /** Its output tree: a folder or an s3:// address. */
  readonly out: string;
  /** What `startCampaign` would refuse besides rows with errors; absent if nothing. */
  readonly refusals?: readonly Refusal[];
  /** Jobs to submit. */
  readonly submissions: number;
  /** The services that receive these jobs. */
  readonly services: readonly PlannedService[];
  /** ISO 8601, UTC: when the last job would be done; null if nothing is submitted, or if it can never end. */
  readonly endsAt: string | null;
  /** The current charges of the budgets are unknown: `endsAt` is then the earliest end. */
  readonly chargesUnknown: boolean;
  /** Estimated size of the files that will be written, in bytes. */
  readonly diskBytes: number;
}

/**
 * Checks manifests without submitting anything.
 *
 * @param manifests - paths of manifests, in any of the formats of docs/manifest.md; several make one campaign
 * @throws HundredfoldError `CONFIG_*` for an unusable configuration, `STORE_*` for an unreadable output folder.
 * Problems of rows are not thrown: they are in `Plan.problems`.
 */
export async function plan(
  manifests: string | readonly string[],
  options: PlanOptions = {},
): Promise<Plan> {
  const { document } = await planCampaign([manifests].flat(), options);
  return document;
}

/** Everything that is known before a run. */
export interface Planned {
  readonly document: Plan;
  readonly intake: Intake;
  /** The services that are configured, also those without a token here. */
  readonly feeds: readonly (ServiceSettings | UnreadyService)[];
  readonly forecasts: readonly ServiceForecast[];
  /** Lanes, with kinds of the campaign whose run time there is not known. */
  readonly unmeasured: readonly Unmeasured[];
  /** ms since the epoch. */
  readonly now: number;
}

export async function planCampaign(
  manifests: readonly string[],
  options: PlanOptions & IntakeOptions,
): Promise<Planned> {
  const { onNotice = ignoreNotices } = options;
  const read = readSettings(options, { tokens: 'optional' });
  const settings = await addLanes(read, options.also, listEngineLanes);
  const intake = await prepareIntake(manifests, options, settings);
  const { name, survey } = intake;
  const budgets =
    sumJobs(survey) > 0 && canBeCharged(settings)
      ? await readCharged(
          () => lookInSession(settings, options, ({ client }) => readBudgets(client)),
          onNotice,
        )
      : [];
  const now = Date.now();
  const feeds = listConfiguredServices(intake.settings);
  const earlier = await readEarlierResults(intake.settings.lanes, intake.folder);
  const lanes = measureLanes(intake.settings.lanes, earlier);
  const forecasts = forecastCampaign(name, survey, feeds, budgets ?? [], { now, lanes });
  const refusals = await findRefusals(intake, feeds, earlier, options);
  const document = {
    ...describePlan(intake, forecasts),
    ...(refusals.length > 0 && { refusals }),
    chargesUnknown: budgets === null,
  };
  const unmeasured = findUnmeasured(lanes, survey);
  return { document, intake, feeds, forecasts, unmeasured, now };
}

function describePlan(
  { name, folder, survey }: Intake,
  forecasts: readonly ServiceForecast[],
): Omit<Plan, 'refusals' | 'chargesUnknown'> {
  const { digests: _, shares: __, ...counted } = survey;
  return {
    campaign: name,
    out: folder,
    ...counted,
    submissions: sumJobs(survey),
    services: forecasts.map(({ service, jobs, free, endsAt, lanes }) => {
      return { service, jobs, free, endsAt: formatEnd(endsAt), ...(lanes && { lanes }) };
    }),
    endsAt: formatEnd(findEnd(forecasts)),
    diskBytes: estimateDisk(survey),
  };
}

/** What `run` would refuse, if its rows were right; nothing is written to find that out. */
async function findRefusals(
  intake: Intake,
  feeds: Planned['feeds'],
  earlier: EarlierResults,
  { services }: PlanOptions,
): Promise<readonly Refusal[]> {
  const { needed, folder, settings } = intake;
  // With the services of this project, those of others only matter to rows that need them.
  const isMeant = (service: string) => services === undefined || needed.has(service);
  const found = feeds.flatMap((feed) =>
    'reason' in feed && isMeant(feed.reference.service) ? [feed.reason] : [],
  );
  const checks: readonly (() => void | Promise<void>)[] = [
    () => checkOwner(intake),
    async () => {
      if (!isObjectAddress(folder)) await checkFolder(folder);
    },
    () => {
      const unready = new Set(settings.unready.map(({ reference }) => reference.service));
      const others = new Set([...needed].filter((name) => !unready.has(name)));
      const choice = { needed: others, who: 'the manifest' };
      checkLanes(chooseServices(settings, choice), earlier);
    },
  ];
  for (const check of checks)
    try {
      await check();
    } catch (error) {
      if (!(error instanceof HundredfoldError)) throw error;
      found.push(error);
    }
  return found.map(({ code, message, remedy }) => ({ code, message, remedy }));
}

/** What is charged now; null if that cannot be read: neither the checks nor a start depend on it. */
export async function readCharged(
  read: () => Promise<readonly BudgetStatus[]>,
  onNotice: OnNotice,
): Promise<readonly BudgetStatus[] | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof HundredfoldError) && !isTemporalAway(error)) throw error;
    const code = error instanceof HundredfoldError ? ` [${error.code}]` : '';
    onNotice(`Cannot read how much of the budgets is used: ${toReason(error)}${code}`);
    return null;
  }
}

/** False where no Temporal was ever used: nothing can be charged, and no server is started to find that out. */
export function canBeCharged({ temporal, embeddedDir }: Settings): boolean {
  return temporal !== null || existsSync(join(embeddedDir, 'temporal.db'));
}
