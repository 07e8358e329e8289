/** Settings of the local services. Separate from the code that runs them, which takes time to load. */
import { PATHS } from '../../../packages/local-services/src/contract.ts';
import { describeService, type ServiceSettings } from '../../config/services.ts';
import { Secret } from '../../config/secret.ts';
import { readRecord } from './record.ts';

/**
 * Not a secret: the services listen on this machine only. Ten characters, as the molecule service requires. Never a
 * token of the environment: the local services store the tokens they receive in their database.
 */
const LOCAL_TOKEN = 'local-user';

/**
 * The services of this project, and their address, whatever their port: `local` answers with recorded results,
 * `synthetic` with results of the right form for any input. Two addresses, so that no result of one is reused for the
 * other.
 */
export const LOCAL_NAMES = ['local', 'synthetic'] as const;
export type LocalName = (typeof LOCAL_NAMES)[number];

/** Null for the address of any other service. */
export function findLocalName(address: string): LocalName | null {
  return LOCAL_NAMES.find((name) => name === address) ?? null;
}

/** The file that remembers the port of these services. */
export function chooseRecord(name: LocalName): 'services' | 'synthetic' {
  return name === 'local' ? 'services' : name;
}

/**
 * The settings alone, before anything runs: the address is the name, whatever port is chosen later.
 * @param id distinguishes the local services of this folder from those of others
 */
export function createLocalSettings(
  name: LocalName,
  url = 'http://127.0.0.1',
  id?: string,
): ServiceSettings[] {
  const secrets = { token: new Secret(LOCAL_TOKEN) };
  const ledgerAddress = id === undefined ? name : `${name} ${id}`;
  const names = { address: name, ledgerAddress };
  return Object.entries(PATHS).map(([service, path]) =>
    describeService(service, `${url}${path}`, secrets, names),
  );
}

/** Local services that were used in this folder, which its campaigns may still need; `added` is used from now on. */
export function listUsedLocals(dir: string, added: LocalName | null = null): readonly LocalName[] {
  return LOCAL_NAMES.filter(
    (name) => name === added || readRecord(dir, chooseRecord(name)) !== null,
  );
}
