/** The two local services as this host uses them: one process with it, one database beside Temporal's. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeService, type Environment, type ServiceSettings } from '../config/settings.ts';
import { Secret } from '../config/secret.ts';
import { startLocalServices, type LocalServices } from '../local-services/server.ts';
import { freePort } from '../temporal/ports.ts';
import { readRecord, writeRecord } from './record.ts';

/** No secret: the services listen on this machine only. Ten characters, as the molecule service wants. */
const LOCAL_TOKEN = 'local-user';

export interface HostedServices {
  readonly services: LocalServices;
  readonly settings: readonly ServiceSettings[];
}

/** The address of the local services, whatever their port. */
export const LOCAL_ADDRESS = 'local';

/** True once local services were used in this folder: campaigns there may still need them. */
export function wereUsed(dir: string): boolean {
  return readRecord(dir, 'services') !== null;
}

/** The settings alone, before anything runs: the address is `local`, whatever the port turns out to be. */
export function localSettings(
  environment: Environment,
  url = 'http://127.0.0.1',
): ServiceSettings[] {
  const token = (variable: string) => new Secret(environment[variable] ?? LOCAL_TOKEN);
  const address = LOCAL_ADDRESS;
  return [
    describeService('molecules', `${url}/acpype`, token('HUNDREDFOLD_MOLECULE_TOKEN'), { address }),
    describeService('predictions', url, token('HUNDREDFOLD_PREDICTION_TOKEN'), { address }),
  ];
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
