/** `hundredfold run`: checks the manifests, starts or resumes the campaign, shows progress until it ends. */
import { tmpdir } from 'node:os';
import { EXIT } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import { Spool } from '../../runner/spool.ts';
import { say } from '../text/explain.ts';
import {
  checkSameCampaign,
  rowsToRun,
  takeIn,
  unchangedCampaign,
  type Intake,
} from '../../runner/intake.ts';
import { ProblemList } from '../text/problem-list.ts';
import type { Continued, RunFlags } from '../session/run-campaign.ts';
import type { Settings } from '../../config/settings.ts';
import { commandSettings } from '../session/command-settings.ts';
import { printDocument } from '../text/output.ts';

export async function run(manifests: string[], flags: RunFlags): Promise<number> {
  const settings = commandSettings(flags);
  const unchanged = flags.detach ? null : await unchangedCampaign(manifests, flags, settings);
  if (unchanged === null) return checkAndRun(manifests, flags, settings, null);
  const { continueRun } = await import('../session/run-campaign.ts');
  const continued = await continueRun(unchanged, flags, settings);
  try {
    return await checkAndRun(manifests, flags, settings, continued);
  } catch (error) {
    if (error !== continued.interruption.signal.reason) throw error;
    say(`${unchanged.name} is safe on disk: run the same command to resume.`);
    return EXIT.interrupted;
  } finally {
    await continued.session.close();
  }
}

async function checkAndRun(
  manifests: readonly string[],
  flags: RunFlags,
  settings: Settings,
  continued: Continued | null,
): Promise<number> {
  const spool = new Spool(tmpdir());
  try {
    const problems = new ProblemList();
    const onProblem = (problem: Problem): void => problems.add(problem);
    const takingIn = takeIn(manifests, flags, settings, {
      spool,
      onProblem,
      ...(continued && { signal: continued.interruption.signal }),
    });
    // Loading Temporal's packages takes a second, and starting RDKit in its thread takes as long: do both in parallel.
    const loading = import('../session/run-campaign.ts');
    const intake = await takingIn;
    problems.sayRest();
    await spool.end();
    if (!accepted(intake, problems, flags, continued?.runs ?? false)) return EXIT.refused;
    await checkSameCampaign(intake);
    const { runCampaign } = await loading;
    return await runCampaign(intake, spool, flags, settings, continued);
  } finally {
    spool.remove();
  }
}

/**
 * Reports all problems together; submits nothing if one of them is an error, unless the user requested the valid rows.
 */
function accepted(
  { survey }: Intake,
  problems: ProblemList,
  { json, skipInvalid }: RunFlags,
  continued: boolean,
): boolean {
  const { errors, invalid, brokenFiles, rows } = survey;
  const toRun = rowsToRun(survey, skipInvalid ?? false);
  if (toRun === 'valid')
    say(`hundredfold: ${invalid} of ${rows} rows are skipped; failed.csv will list them.`);
  if (toRun !== 'none') return true;
  if (json) printDocument({ rows, problems: problems.kept });
  const count = errors === 1 ? 'one error' : `${errors} errors`;
  const without = skipInvalid || brokenFiles > 0 ? '' : ' --skip-invalid runs the other rows.';
  const submitted = continued ? 'only rows of the running campaign were' : 'nothing was';
  say(
    `hundredfold: ${count}; ${submitted} submitted. Fix the manifest and run the command again.${without}`,
  );
  return false;
}
