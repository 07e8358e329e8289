/** Checks manifests and computes what a campaign would do. Submits nothing and does not write to the output tree. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBudgets } from '../activities/budget-status.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import type { Problem } from '../domain/problem.ts';
import {
  diskEstimate,
  endOf,
  forecastCampaign,
  isoEnd,
  jobsOf,
  plannedServices,
} from './forecast.ts';
import { configuredServices, KeptProblems, type ManifestOptions, takeIn } from './intake.ts';
import {
  type ConfigurationOptions,
  environmentOf,
  inSession,
  logToWorkerLog,
  settingsOf,
} from './session.ts';

/** How a campaign is planned. */
export interface PlanOptions extends ManifestOptions, ConfigurationOptions {
  /**
   * `local`: the two services of this project, with the embedded server and recorded results; `synthetic`: with results
   * of the right form for any input. Default: the configured services.
   */
  readonly services?: 'local' | 'synthetic';
}

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

/** What a campaign would do. */
export interface Plan {
  /** Name of the campaign. */
  readonly name: string;
  /** Its output tree: a folder or an s3:// address. */
  readonly out: string;
  /** Number of rows, valid or not. */
  readonly rows: number;
  /** Rows by kind, if the kind is known. */
  readonly kinds: Readonly<Record<Kind, number>>;
  /** Errors and warnings, in the order of the rows; at most the first 10,000. */
  readonly problems: readonly Problem[];
  /** Number of errors. With one or more, `startCampaign` submits nothing unless `skipInvalid` is set. */
  readonly errors: number;
  /** Number of warnings. */
  readonly warnings: number;
  /** Rows that ended in an earlier run of this campaign. */
  readonly done: number;
  /** Rows that request the same work as another row: they share one job. */
  readonly duplicates: number;
  /** Rows that get the result of an earlier campaign. */
  readonly cached: number;
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
  const settings = settingsOf(options, { tokens: 'optional' });
  const problems = new KeptProblems();
  const intake = await takeIn([manifests].flat(), options, settings, {
    onProblem: (problem) => problems.add(problem),
  });
  const { name, folder, survey } = intake;
  const charged = jobsOf(survey) > 0 ? await chargedIn(settings, options) : [];
  const feeds = configuredServices(settings, options);
  const forecasts = forecastCampaign(name, survey, feeds, charged ?? [], Date.now());
  const { rows, kinds, errors, warnings, ended, duplicates, cached } = survey;
  return {
    name,
    out: folder,
    rows,
    kinds,
    problems: problems.kept,
    errors,
    warnings,
    done: ended,
    duplicates,
    cached,
    submissions: jobsOf(survey),
    services: plannedServices(forecasts),
    endsAt: isoEnd(endOf(forecasts)),
    chargesUnknown: charged === null,
    diskBytes: diskEstimate(survey),
  };
}

/** Null if it is unknown: the checks do not depend on it. */
async function chargedIn(
  settings: Settings,
  options: ConfigurationOptions,
): Promise<readonly BudgetStatus[] | null> {
  if (!mayBeCharged(settings)) return [];
  try {
    logToWorkerLog(settings);
    return await chargedBudgets(settings, environmentOf(options));
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    return null;
  }
}

/** False where no Temporal was ever used: nothing can be charged, and no server is started to find that out. */
export function mayBeCharged({ temporal, embeddedDir }: Settings): boolean {
  return temporal !== null || existsSync(join(embeddedDir, 'temporal.db'));
}

/** @throws HundredfoldError where it cannot be asked */
export async function chargedBudgets(
  settings: Settings,
  environment: Environment,
): Promise<readonly BudgetStatus[]> {
  return inSession({ settings, environment, purpose: 'look' }, ({ client }) => readBudgets(client));
}

/** In bytes: for the folder, or its nearest existing parent; null for a bucket, which has no limit. */
export async function freeIn(folder: string): Promise<number | null> {
  if (isObjectAddress(folder)) return null;
  let there = folder;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = await statfs(there);
  return bavail * bsize;
}
