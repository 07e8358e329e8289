/**
 * The local services of this project: their settings, and how a host runs them, one process with it and one database beside
 * Temporal's. What runs them takes time to load, so it is loaded when they start.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PATHS, SERVICES } from '../../../packages/local-services/src/contract.ts';
import type { LocalServicesOptions } from '../../../packages/local-services/src/options.ts';
import { LocalServicesError } from '../../../packages/local-services/src/problem.ts';
import type { LocalServices } from '../../../packages/local-services/src/server.ts';
import {
  describeLane,
  describeService,
  ENGINES,
  LOCAL_TOKEN,
  type ServiceSettings,
} from '../../config/services.ts';
import { Secret } from '../../config/secret.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import type { Item } from '../../domain/campaign.ts';
import { findServiceOfKind } from '../../services/registry.ts';
import { parseConfig } from '../../services/service.ts';
import { PRIVATE_FOLDER } from '../../state.ts';
import { freePort } from '../machine.ts';
import { readRecord, writeRecord } from './folder.ts';

/**
 * The services of this project, and their address, whatever their port: `local` answers with recorded results,
 * `synthetic` with results of the right form for any input. Two addresses, so that no result of one is reused for the
 * other.
 */
export const LOCAL_NAMES = ['local', 'synthetic'] as const;
export type LocalName = (typeof LOCAL_NAMES)[number];

/** `engines`: the same with the installed engines, as a further lane of both services. */
type HostedName = LocalName | typeof ENGINES;
const HOSTED_NAMES: readonly HostedName[] = [...LOCAL_NAMES, ENGINES];

/** Null for the address of any other service. */
export function findLocalName(address: string): HostedName | null {
  return HOSTED_NAMES.find((name) => name === address) ?? null;
}

/** The file that remembers the port of these services. */
export function chooseRecord(name: HostedName): 'services' | 'synthetic' | 'engines' {
  return name === 'local' ? 'services' : name;
}

/**
 * The settings alone, before anything runs: the address is the name, whatever port is chosen later.
 * @param id distinguishes the local services of this folder from those of others
 */
export function createLocalSettings(
  name: HostedName,
  url = 'http://127.0.0.1',
  id?: string,
): ServiceSettings[] {
  const secrets = { token: new Secret(LOCAL_TOKEN) };
  const ledgerAddress = id === undefined ? name : `${name} ${id}`;
  const names = { address: name, ledgerAddress };
  const settings = Object.entries(PATHS).map(([service, path]) =>
    describeService(service, `${url}${path}`, secrets, names),
  );
  const lane = { name: ENGINES, maxOpen: availableParallelism(), sameEngine: false };
  return name === ENGINES ? settings.map((one) => describeLane(one, lane)) : settings;
}

/**
 * The lanes of `run --also engines`, one for each engine that is installed: from now on, each host of this folder runs
 * them.
 * @throws HundredfoldError `LOCAL_SERVICES_FAILED`: none is installed
 */
export async function useEngines(dir: string): Promise<readonly ServiceSettings[]> {
  const lanes = await listEngineLanes();
  mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
  const id = randomBytes(4).toString('hex');
  if (readRecord(dir, ENGINES) === null) writeRecord(dir, ENGINES, { port: 0, id });
  return lanes;
}

/** @throws HundredfoldError `LOCAL_SERVICES_FAILED`: none is installed, or one lacks a library */
export async function listEngineLanes(): Promise<readonly ServiceSettings[]> {
  const { findRealEngines } =
    await import('../../../packages/local-services/src/engines/choose.ts');
  const installed = await toCoded(() => findRealEngines());
  if (installed.size === 0)
    throw new HundredfoldError(
      'LOCAL_SERVICES_FAILED',
      'none of the engines is installed on this machine',
      'Install them (docs/engines.md), in a checkout with `npm run engines`, or leave out --also engines.',
    );
  return createLocalSettings(ENGINES).flatMap(({ lane, ...site }) => {
    const engine = installed.get(site.reference.service);
    return lane && engine !== undefined ? [{ ...site, lane: { ...lane, engine } }] : [];
  });
}

/** Local services that were used in this folder, which its campaigns may still need; `added` is used from now on. */
export function listUsedLocals(dir: string, added: LocalName | null = null): readonly HostedName[] {
  return HOSTED_NAMES.filter(
    (name) => name === added || readRecord(dir, chooseRecord(name)) !== null,
  );
}

export interface HostedServices {
  readonly services: LocalServices;
  readonly settings: readonly ServiceSettings[];
}

export async function serveLocally(dir: string, name: HostedName): Promise<HostedServices> {
  mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
  const record = chooseRecord(name);
  const known = readRecord(dir, record);
  const port = await freePort(known?.port ?? 0);
  const database = join(dir, `${record}.db`);
  // If its database was removed, the count starts at zero: for the ledger, the new one is another service.
  const id = (existsSync(database) ? known?.id : undefined) ?? randomBytes(4).toString('hex');
  // Of the real engines, one may be missing: nothing is sent to the service that answers from recordings instead.
  const offered = name === ENGINES ? await listEngineLanes() : createLocalSettings(name);
  const isOffered = ({ reference }: ServiceSettings) =>
    offered.some((one) => one.reference.service === reference.service);
  const engine = ({ local: 'recorded', synthetic: 'synthetic', engines: 'installed' } as const)[
    name
  ];
  const unlimited = name === ENGINES ? { limit: 0, addressLimit: 0 } : {};
  const services = await startServices({ port, database, engine, ...unlimited });
  writeRecord(dir, record, { port, id });
  const settings = createLocalSettings(name, services.url, id).filter(isOffered);
  return { services, settings };
}

/** @throws HundredfoldError `LOCAL_SERVICES_*` */
export async function startServices(options: LocalServicesOptions): Promise<LocalServices> {
  const { startLocalServices } = await import('../../../packages/local-services/src/server.ts');
  return toCoded(() => startLocalServices(options));
}

/** @throws HundredfoldError for a `LocalServicesError` */
async function toCoded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof LocalServicesError)) throw cause;
    throw new HundredfoldError('LOCAL_SERVICES_FAILED', cause.message, cause.remedy, { cause });
  }
}

/** As both services require it. */
const TOKEN = { token: '0'.repeat(10) };

/** Which rows the local services can answer from recordings: the others would fail. */
export async function loadRecorded(): Promise<(item: Item) => boolean> {
  const { isRecorded } =
    await import('../../../packages/local-services/src/recorded-submission.ts');
  return (item) => isAnsweredLocally(item, isRecorded);
}

function isAnsweredLocally(
  { kind, options, input, title }: Item,
  isRecorded: (path: string, body: unknown) => boolean,
): boolean {
  const service = findServiceOfKind(kind);
  // That of a plugin answers itself.
  if (!SERVICES.some((name) => name === service.name)) return true;
  const job = { kind, options, input, title, name: 'plan', email: null };
  const request = service.submit.request[kind]?.(job, parseConfig(service, {}));
  if (request?.body === undefined || !('json' in request.body) || 'link' in request) return true;
  return isRecorded(request.path.join('/'), Object.assign({}, request.body.json, TOKEN));
}
