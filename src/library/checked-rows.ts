/** The rows of manifests, checked: what is in order goes on, and one error refuses all unless the rest is asked for. */
import { checkSameCampaign, rowsToRun, takeIn, type Intake } from '../campaigns/intake.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { Spool } from '../plan/spool.ts';
import { Problems } from './problems.ts';

/** Which rows a campaign has, and where its output goes. */
export interface ManifestOptions {
  /** The folder, or s3:// address, that output trees lie in; `store.url` of the configuration when it is left out. */
  readonly out?: string;
  /** Name of the campaign; made from the manifest's file name when it is left out. */
  readonly name?: string;
  /** Input files may lie outside the folder of their manifest. */
  readonly allowOutside?: boolean;
  /** False: results of earlier campaigns are not used, and none are kept for later ones. */
  readonly cache?: boolean;
  /** Results of earlier campaigns are computed again. */
  readonly refresh?: boolean;
}

/** Which rows are run, and how the campaign stands among others. */
export interface RowOptions extends ManifestOptions {
  /** Runs the rows that are in order, and leaves the others out; they are listed in failed.csv. */
  readonly skipInvalid?: boolean;
  /** Does not pause a service because its items fail for the same reason. */
  readonly keepGoing?: boolean;
  /** Turns for each one of other campaigns that use the same token: above 0, at most 100; 1 when it is left out. */
  readonly share?: number;
  /** From 1, which goes before all others, to 5; 3 when it is left out. */
  readonly priority?: number;
  /** Slots of each window that are left to other campaigns. */
  readonly reserve?: number;
}

/** Rows were refused, and nothing was submitted. */
export class ManifestRefusedError extends HundredfoldError {
  /** All errors and warnings; at most the first 10,000. */
  readonly problems: readonly Problem[];

  /** @internal */
  constructor(errors: number, problems: readonly Problem[]) {
    super({
      code: 'MANIFEST_REFUSED',
      message: `the manifest has ${errors === 1 ? 'one error' : `${errors} errors`}; nothing was submitted`,
      remedy: 'Correct the rows listed in `problems`, or set `skipInvalid` to run the others.',
    });
    this.name = 'ManifestRefusedError';
    this.problems = problems;
  }
}

/** @throws ManifestRefusedError; HundredfoldError `MANIFEST_EMPTY`, `CAMPAIGN_DIFFERS` */
export async function checkedRows(
  manifests: readonly string[],
  options: RowOptions & { readonly services?: 'local' },
  settings: Settings,
  spool: Spool,
): Promise<Intake> {
  const problems = new Problems();
  const onProblem = (problem: Problem): void => problems.add(problem);
  const intake = await takeIn(manifests, options, settings, { spool, onProblem });
  await spool.end();
  if (rowsToRun(intake.survey, options.skipInvalid ?? false) === 'none')
    throw new ManifestRefusedError(intake.survey.errors, problems.kept);
  await checkSameCampaign(intake);
  return intake;
}
