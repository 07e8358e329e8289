/** Whether files can be created in a folder, which may not exist yet. */
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storeErrorOf } from '../store/store-error.ts';

/**
 * Creates a test folder in it or its nearest existing parent, because permissions alone are not reliable. null when it
 * works.
 */
export async function whyUnwritable(folder: string): Promise<string | null> {
  const existing = await firstExisting(folder);
  try {
    const probe = await mkdtemp(join(existing, '.hundredfold-doctor-'));
    await rm(probe, { recursive: true });
    return null;
  } catch (error) {
    return storeErrorOf(error, `write in ${existing}`).message;
  }
}

export async function firstExisting(folder: string): Promise<string> {
  const there = await access(folder, constants.F_OK).then(
    () => true,
    () => false,
  );
  return there ? folder : firstExisting(dirname(folder));
}
