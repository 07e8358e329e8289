/** Two commands in one folder must not prepare the items of a campaign at the same time. */
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { waitForLock } from '../host/lock.ts';
import type { OnNotice } from './notice.ts';

/** One starts the campaign, the other finds it running. */
export async function oneAtATime<T>(
  { embeddedDir }: Settings,
  onNotice: OnNotice,
  start: () => Promise<T>,
): Promise<T> {
  const lock = await waitForLock(join(embeddedDir, 'starting'), () =>
    onNotice('Another command is starting a campaign here; waiting for it.'),
  );
  try {
    return await start();
  } finally {
    lock.release();
  }
}
