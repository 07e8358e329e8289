/** The two local services as this host uses them: one process with it, one database beside Temporal's. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, ServiceSettings } from '../config/settings.ts';
import { startLocalServices, type LocalServices } from '../local-services/server.ts';
import { freePort } from '../temporal/ports.ts';
import { localSettings } from './local-settings.ts';
import { readRecord, writeRecord } from './record.ts';

export interface HostedServices {
  readonly services: LocalServices;
  readonly settings: readonly ServiceSettings[];
}

/** True once local services were used in this folder: campaigns there may still need them. */
export function wereUsed(dir: string): boolean {
  return readRecord(dir, 'services') !== null;
}

export async function hostLocalServices(
  dir: string,
  environment: Environment,
): Promise<HostedServices> {
  mkdirSync(dir, { recursive: true });
  const port = await freePort(readRecord(dir, 'services')?.port ?? 0);
  const services = await startLocalServices({ port, database: join(dir, 'services.db') });
  writeRecord(dir, 'services', { port });
  return { services, settings: localSettings(environment, services.url) };
}
