/** The two local services of this host: one process with it, one database beside Temporal's. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceSettings } from '../../config/services.ts';
import type { LocalServicesOptions } from '../../../packages/local-services/src/options.ts';
import { LocalServicesError } from '../../../packages/local-services/src/problem.ts';
import {
  startLocalServices,
  type LocalServices,
} from '../../../packages/local-services/src/server.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { PRIVATE_FOLDER } from '../../state.ts';
import { freePort } from '../ports.ts';
import { createLocalSettings, chooseRecord, type LocalName } from './local-settings.ts';
import { readRecord, writeRecord } from './record.ts';

export interface HostedServices {
  readonly services: LocalServices;
  readonly settings: readonly ServiceSettings[];
}

export async function serveLocally(dir: string, name: LocalName): Promise<HostedServices> {
  mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
  const record = chooseRecord(name);
  const known = readRecord(dir, record);
  const port = await freePort(known?.port ?? 0);
  const database = join(dir, `${record}.db`);
  // If its database was removed, the count starts at zero: for the ledger, the new one is another service.
  const id = (existsSync(database) ? known?.id : undefined) ?? randomBytes(4).toString('hex');
  const engine = name === 'synthetic' ? 'synthetic' : 'recorded';
  const services = await startServices({ port, database, engine });
  writeRecord(dir, record, { port, id });
  return { services, settings: createLocalSettings(name, services.url, id) };
}

/** @throws HundredfoldError `LOCAL_SERVICES_*` */
export async function startServices(options: LocalServicesOptions): Promise<LocalServices> {
  try {
    return await startLocalServices(options);
  } catch (cause) {
    if (!(cause instanceof LocalServicesError)) throw cause;
    throw new HundredfoldError('LOCAL_SERVICES_FAILED', cause.message, cause.remedy, { cause });
  }
}
