/** Settings of the local services. Separate from the code that runs them, which takes time to load. */
import { describeService, type ServiceSettings } from '../config/services.ts';
import { Secret } from '../config/secret.ts';
import { readRecord } from './record.ts';

/**
 * Not a secret: the services listen on this machine only. Ten characters, as the molecule service requires. Never a
 * token of the environment: the local services store the tokens they receive in their database.
 */
const LOCAL_TOKEN = 'local-user';

/** The address of the local services, whatever their port. */
export const LOCAL_ADDRESS = 'local';

/**
 * The settings alone, before anything runs: the address is `local`, whatever port is chosen later.
 * @param id distinguishes the local services of this folder from those of others
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

/** The address of a folder's local services in the ledger. */
function localLedgerAddress(id: string | undefined): string {
  return id === undefined ? LOCAL_ADDRESS : `${LOCAL_ADDRESS} ${id}`;
}

/** True once local services were used in this folder: campaigns there may still need them. */
export function wereUsed(dir: string): boolean {
  return readRecord(dir, 'services') !== null;
}
