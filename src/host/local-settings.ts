/** How the local services are known and spoken to. Apart from what runs them, which takes its time to load. */
import { describeService, type ServiceSettings } from '../config/settings.ts';
import { Secret } from '../config/secret.ts';
import { readRecord } from './record.ts';

/**
 * No secret: the services listen on this machine only. Ten characters, as the molecule service wants. Never a token of
 * the environment: the local services keep what they are given in their database.
 */
const LOCAL_TOKEN = 'local-user';

/** The address of the local services, whatever their port. */
export const LOCAL_ADDRESS = 'local';

/**
 * The settings alone, before anything runs: the address is `local`, whatever the port turns out to be.
 * @param id tells the local services of this folder from those of others
 */
export function localSettings(url = 'http://127.0.0.1', id?: string): ServiceSettings[] {
  const token = new Secret(LOCAL_TOKEN);
  const address = LOCAL_ADDRESS;
  const names = { address, ledgerAddress: localLedgerAddress(id) };
  return [
    describeService('molecules', `${url}/acpype`, token, names),
    describeService('predictions', url, token, names),
  ];
}

/** What the ledger calls the local services of a folder. */
export function localLedgerAddress(id: string | undefined): string {
  return id === undefined ? LOCAL_ADDRESS : `${LOCAL_ADDRESS} ${id}`;
}

/** True once local services were used in this folder: campaigns there may still need them. */
export function wereUsed(dir: string): boolean {
  return readRecord(dir, 'services') !== null;
}
