/** Checks the rows of manifests. A single error refuses all rows, unless the caller asks to run the valid ones. */
import { KeptProblems } from '../campaigns/kept-problems.ts';
import { checkSameCampaign, rowsToRun, takeIn, type Intake } from '../campaigns/intake.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError, textsOf } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { Spool } from '../plan/spool.ts';

/** Which rows a campaign has, and where its output goes. */
export interface ManifestOptions {
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
  /** All errors and warnings; at most the first 10,000. */
  readonly problems: readonly Problem[];

  /** @internal */
  constructor(errors: number, problems: readonly Problem[]) {
    super({ code: 'MANIFEST_REFUSED', ...textsOf('MANIFEST_REFUSED', { errors }) });
    this.name = 'ManifestRefusedError';
    this.problems = problems;
  }
}

/** @throws ManifestRefusedError; HundredfoldError `MANIFEST_EMPTY`, `CAMPAIGN_DIFFERS` */
export async function checkedRows(
  manifests: readonly string[],
  options: RowOptions & { readonly services?: 'local' | 'synthetic' },
  settings: Settings,
  spool: Spool,
): Promise<Intake> {
  const problems = new KeptProblems();
  const onProblem = (problem: Problem): void => problems.add(problem);
  const intake = await takeIn(manifests, options, settings, { spool, onProblem });
  await spool.end();
  if (rowsToRun(intake.survey, options.skipInvalid ?? false) === 'none')
    throw new ManifestRefusedError(intake.survey.errors, problems.kept);
  await checkSameCampaign(intake);
  return intake;
}
