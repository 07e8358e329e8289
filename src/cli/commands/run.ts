/** `hundredfold run`: checks the manifests, starts or resumes the campaign, shows progress until it ends. */
import { tmpdir } from 'node:os';
import { EXIT } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import { Spool } from '../../plan/spool.ts';
import { say } from '../text/explain.ts';
import { checkSameCampaign, rowsToRun, takeIn, type Intake } from '../../campaigns/intake.ts';
import { ProblemList } from '../text/problem-list.ts';
import type { RunFlags } from '../session/run-campaign.ts';
import { commandSettings } from '../session/command-settings.ts';
import { printDocument } from '../text/output.ts';

export async function run(manifests: string[], flags: RunFlags): Promise<number> {
  const settings = commandSettings(flags);
  const spool = new Spool(tmpdir());
  try {
    const problems = new ProblemList();
    const onProblem = (problem: Problem): void => problems.add(problem);
    const takingIn = takeIn(manifests, flags, settings, { spool, onProblem });
    // Loading Temporal's packages takes a second, and starting RDKit in its thread takes as long: do both in parallel.
    const loading = import('../session/run-campaign.ts');
    const intake = await takingIn;
    problems.sayRest();
    await spool.end();
    if (!accepted(intake, problems, flags)) return EXIT.refused;
    await checkSameCampaign(intake);
    const { runCampaign } = await loading;
    return await runCampaign(intake, spool, flags, settings);
  } finally {
    await spool.remove();
  }
}

/**
 * Reports all problems at once; submits nothing if one of them is an error, unless the user asked for the valid rows.
 */
function accepted(
  { survey }: Intake,
  problems: ProblemList,
  { json, skipInvalid }: RunFlags,
): boolean {
  const { errors, invalid, brokenFiles, rows } = survey;
  const toRun = rowsToRun(survey, skipInvalid ?? false);
  if (toRun === 'valid')
    say(`hundredfold: ${invalid} of ${rows} rows are skipped; failed.csv will list them.`);
  if (toRun !== 'none') return true;
  if (json) printDocument({ rows, problems: problems.kept });
  const count = errors === 1 ? 'one error' : `${errors} errors`;
  const without = skipInvalid || brokenFiles > 0 ? '' : ' --skip-invalid runs the other rows.';
  say(
    `hundredfold: ${count}; nothing was submitted. Fix the manifest and run the command again.${without}`,
  );
  return false;
}
