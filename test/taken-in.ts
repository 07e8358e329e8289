/** Reads rows like `run`, for tests that start campaigns without the command. */
import { tmpdir } from 'node:os';
import { Spool } from '../src/plan/spool.ts';
import { surveyManifests, type Survey } from '../src/plan/survey.ts';
import type { Problem } from '../src/domain/problem.ts';

interface TakenIn {
  readonly survey: Survey;
  readonly spool: Spool;
  readonly cache: null;
  readonly ids: readonly string[];
}

/** @throws when a row is refused */
export async function takenIn(manifest: string): Promise<TakenIn> {
  const spool = new Spool(tmpdir());
  const problems: Problem[] = [];
  const ids: string[] = [];
  const survey = await surveyManifests([manifest], {
    allowOutside: false,
    tree: null,
    cache: null,
    addresses: {},
    spool,
    onProblem: (problem) => problems.push(problem),
    onFate: (id) => ids.push(id),
  });
  await spool.end();
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(`the manifest is not valid: ${JSON.stringify(errors)}`);
  return { survey, spool, cache: null, ids };
}
