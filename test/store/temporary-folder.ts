/** A temporary folder for a test, removed at its end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

/** @param ending the context of a concurrent test */
export async function temporaryFolder(
  ending: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-'));
  ending.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
