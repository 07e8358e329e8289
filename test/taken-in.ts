/** Reads rows like `run`, for tests that start campaigns without the command. */
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Writes a manifest into a folder of its own, and returns its path. */
export async function writeManifest(folder: string, rows: readonly object[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'manifest.jsonl');
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}
