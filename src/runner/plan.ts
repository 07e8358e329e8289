/** Checks manifests and computes what a campaign would do. Submits nothing and does not write to the output tree. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readBudgets } from '../activities/budget-run.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import { isObjectAddress } from '../domain/addresses.ts';
import type { Problem } from '../domain/problem.ts';
import {
  estimateDisk,
  findEnd,
  forecastCampaign,
  formatEnd,
  sumJobs,
  toPlannedServices,
  type ServiceForecast,
} from './forecast.ts';
import {
  checkOwner,
  listConfiguredServices,
  type Intake,
  type ManifestOptions,
  type RowHooks,
  prepareIntake,
} from './intake.ts';
import { checkFolder } from './obstacles.ts';
import { chooseServices } from './services.ts';
import type { Survey, SurveyOptions } from './survey.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';
import { toReason } from '../domain/plain-text.ts';
import {
  type ConfigurationOptions,
  readEnvironment,
  runInSession,
  ignoreNotices,
  logToWorkerLog,
  type OnNotice,
  readSettings,
} from './session.ts';

/** How a campaign is planned. */
export type PlanOptions = ManifestOptions & ConfigurationOptions;

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
}

/** What `startCampaign` would refuse besides rows with errors: a service that is not configured, a token, the output. */
export type Refusal = Pick<HundredfoldError, 'code' | 'message' | 'remedy'>;

/** What a campaign would do: the `--json` document of `plan`. */
export interface Plan {
  /** Name of the campaign. */
  readonly campaign: string;
  /** Its output tree: a folder or an s3:// address. */
  readonly out: string;
  /** Number of rows, valid or not. */
  readonly rows: number;
  /** Rows by kind, if the kind is known. */
  readonly kinds: Readonly<Record<Kind, number>>;
  /** Errors and warnings, in the order of the rows. */
  readonly problems: readonly Problem[];
  /** Number of errors. With one or more, `startCampaign` submits nothing unless `skipInvalid` is set. */
  readonly errors: number;
  /** Number of warnings. */
  readonly warnings: number;
  /** What `startCampaign` would refuse besides rows with errors; absent if nothing. */
  readonly refusals?: readonly Refusal[];
  /** Rows with an error. */
  readonly invalid: number;
  /** Rows that ended in an earlier run of this campaign. */
  readonly ended: number;
  /** Rows whose job an earlier run has submitted. */
  readonly submitted: number;
  /** Rows whose job was submitted elsewhere. */
  readonly adopted: number;
  /** Rows that request the same work as another row: they share one job. */
  readonly duplicates: number;
  /** Rows that get the result of an earlier campaign. */
  readonly cached: number;
  /** Why the others cannot get one, with their numbers. */
  readonly notCached: Survey['misses'];
  /** Jobs to submit. */
  readonly submissions: number;
  /** Jobs that the recorded services cannot answer; absent if none. */
  readonly unanswered?: number;
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

type Planning = PlanOptions &
  Partial<Pick<SurveyOptions, 'onProblem' | 'onRow'>> &
  Pick<RowHooks, 'onNotice' | 'onChecked'>;

/** Everything that is known before a run. */
export interface Planned {
  readonly document: Plan;
  readonly intake: Intake;
  /** The services that are configured, also those without a token here. */
  readonly feeds: readonly (ServiceSettings | UnreadyService)[];
  readonly forecasts: readonly ServiceForecast[];
  /** ms since the epoch. */
  readonly now: number;
}

export async function planCampaign(
  manifests: readonly string[],
  options: Planning,
): Promise<Planned> {
  const { onNotice = ignoreNotices, onProblem, onRow } = options;
  const settings = readSettings(options, { tokens: 'optional' });
  const intake = await prepareIntake(manifests, options, settings, {
    ...(onProblem && { onProblem }),
    ...(onRow && { onRow }),
  });
  options.onChecked?.();
  const { name, survey } = intake;
  const budgets =
    sumJobs(survey) > 0 && canBeCharged(settings)
      ? await readCharged(() => readChargedBudgets(settings, options), onNotice)
      : [];
  const now = Date.now();
  const feeds = listConfiguredServices(settings, options);
  const forecasts = forecastCampaign(name, survey, feeds, budgets ?? [], now);
  const refusals = await findRefusals(intake, settings, options);
  const document = {
    ...describePlan(intake, forecasts),
    ...(refusals.length > 0 && { refusals }),
    chargesUnknown: budgets === null,
  };
  return { document, intake, feeds, forecasts, now };
}

function describePlan(
  { name, folder, survey, problems }: Intake,
  forecasts: readonly ServiceForecast[],
): Omit<Plan, 'refusals' | 'chargesUnknown'> {
  const { rows, kinds, errors, warnings, invalid, unanswered } = survey;
  const { ended, submitted, adopted, duplicates, cached, misses } = survey;
  return {
    campaign: name,
    out: folder,
    rows,
    kinds,
    problems,
    errors,
    warnings,
    invalid,
    ended,
    submitted,
    adopted,
    duplicates,
    cached,
    notCached: misses,
    submissions: sumJobs(survey),
    ...(unanswered > 0 && { unanswered }),
    endsAt: formatEnd(findEnd(forecasts)),
    services: toPlannedServices(forecasts),
    diskBytes: estimateDisk(survey),
  };
}

/** What `run` would refuse, if its rows were right; nothing is written to find that out. */
async function findRefusals(
  intake: Intake,
  settings: Settings,
  { services }: PlanOptions,
): Promise<readonly Refusal[]> {
  const { needed, folder } = intake;
  const found: HundredfoldError[] = settings.unready.map(({ reason }) => reason);
  const checks: readonly (() => void | Promise<void>)[] = [
    () => checkOwner(intake),
    async () => {
      if (!isObjectAddress(folder)) await checkFolder(folder);
    },
    () => {
      const unready = new Set(settings.unready.map(({ reference }) => reference.service));
      const others = new Set([...needed].filter((name) => !unready.has(name)));
      chooseServices(settings, { local: services ?? null, needed: others, who: 'the manifest' });
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

async function readChargedBudgets(
  settings: Settings,
  options: ConfigurationOptions,
): Promise<readonly BudgetStatus[]> {
  logToWorkerLog(settings, options);
  const environment = readEnvironment(options);
  return runInSession({ settings, environment, purpose: 'look' }, ({ client }) =>
    readBudgets(client),
  );
}
