/** The two local services of this host: one process with it, one database beside Temporal's. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceSettings } from '../config/services.ts';
import type { LocalServicesOptions } from '../../packages/local-services/src/options.ts';
import { LocalServicesError } from '../../packages/local-services/src/problem.ts';
import {
  startLocalServices,
  type LocalServices,
} from '../../packages/local-services/src/server.ts';
import { HundredfoldError, type ErrorDetails } from '../domain/errors.ts';
import { PRIVATE_FOLDER } from '../state/private-folder.ts';
import { freePort } from '../temporal/ports.ts';
import { localSettings } from './local-settings.ts';
import { readRecord, writeRecord } from './record.ts';

export interface HostedServices {
  readonly services: LocalServices;
  readonly settings: readonly ServiceSettings[];
}

export async function hostLocalServices(dir: string): Promise<HostedServices> {
  mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
  const known = readRecord(dir, 'services');
  const port = await freePort(known?.port ?? 0);
  const database = join(dir, 'services.db');
  // If its database was removed, the count starts at zero: for the ledger, the new one is another service.
  const id = (existsSync(database) ? known?.id : undefined) ?? randomBytes(4).toString('hex');
  const services = await startServices({ port, database });
  writeRecord(dir, 'services', { port, id });
  return { services, settings: localSettings(services.url, id) };
}

/** @throws HundredfoldError `LOCAL_SERVICES_*` */
export async function startServices(options: LocalServicesOptions): Promise<LocalServices> {
  try {
    return await startLocalServices(options);
  } catch (cause) {
    if (!(cause instanceof LocalServicesError)) throw cause;
    // Their codes are in the registry; a test compares both.
    const code = cause.code as ErrorDetails['code'];
    throw new HundredfoldError({ code, message: cause.message, remedy: cause.remedy, cause });
  }
}
