/** The local services for a command that queries them and needs no Temporal. */
import type { ServiceSettings } from '../config/services.ts';
import { hostLocalServices } from './local.ts';
import { localSettings } from './local-settings.ts';
import { tryLock } from './lock.ts';
import { readRecord } from './record.ts';

/** @param dir of the embedded server: its host runs the services as well; without a host they are started here. */
export async function withLocalServices<T>(
  dir: string,
  use: (settings: readonly ServiceSettings[]) => Promise<T>,
): Promise<T> {
  const lock = tryLock(dir);
  if (lock === null) {
    const { port = 0, id } = readRecord(dir, 'services') ?? {};
    return use(localSettings(`http://127.0.0.1:${port}`, id));
  }
  try {
    const { services, settings } = await hostLocalServices(dir);
    try {
      return await use(settings);
    } finally {
      await services.close();
    }
  } finally {
    lock.release();
  }
}
