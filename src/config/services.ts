/** Settings of each service: its address, our credentials, the limits of submission. */
import { NO_LIMIT, type Limit } from '../budget/budget.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { DEFAULT_MAX_DOWNLOAD } from '../domain/max-download.ts';
import { DIRECT, networkSettings, type NetworkSettings } from './network.ts';
import { ALL_SERVICES, serviceOf } from '../services/registry.ts';
import type { ServiceConfig } from '../services/service.ts';
import type { Config } from './schema.ts';
import { duration } from './schema-values.ts';
import { readSecret, type Secret, type SecretPlace } from './secret.ts';

/** What the contract of the service allows. */
export function defaultLimit(service: ServiceName): Limit {
  const [window] = serviceOf(service).setup.budget.windows;
  return window ? { limit: window.limit, windowMs: duration.parse(window.window) } : NO_LIMIT;
}

/** A service as the configuration describes it, without a credential. */
interface ServiceSite {
  readonly url: string;
  /** Of the keys of the service's own. */
  readonly config: ServiceConfig;
  readonly limit: Limit;
  /**
   * The address in the ledger of this machine: services of two folders may both be called `local` but count separately.
   */
  readonly ledgerAddress: string;
  /** Maximum bytes of one downloaded file. */
  readonly maxDownload: number;
  /** Maximum number of accepted jobs that have not ended; null: no limit. */
  readonly maxOpen: number | null;
  /** Maximum status requests per second of one worker; null: no limit. */
  readonly statusRequests: number | null;
}

/** A service that can be used. */
export interface ServiceSettings extends ServiceSite {
  readonly reference: ServiceReference;
  readonly token: Secret;
  readonly network: NetworkSettings;
}

/** A configured service to which nothing can be sent from here: its token, or another secret, is missing. */
export interface UnreadyService extends ServiceSite {
  readonly reference: Pick<ServiceReference, 'service' | 'address'>;
  /** null: these settings are what is missing. */
  readonly network: NetworkSettings | null;
  /** A CONFIG_* error with what to do, usually CONFIG_SECRET_MISSING. */
  readonly reason: HundredfoldError;
}

/** `optional`: for commands that submit nothing. */
export type TokenNeed = 'required' | 'optional';

export interface ConfiguredServices {
  readonly services: Readonly<Partial<Record<ServiceName, ServiceSettings>>>;
  /** Empty if tokens are required. */
  readonly unready: readonly UnreadyService[];
}

type SiteOptions = Partial<Omit<ServiceSite, 'url' | 'maxDownload'>> & {
  readonly address?: string;
  readonly network?: NetworkSettings;
  readonly maxDownload?: number | undefined;
};

/** Per second, for all jobs of a service together. */
const STATUS_REQUESTS = 5;

/** If tokens are required, throws CONFIG_MOLECULE_TOKEN and everything that `networkSettings` throws. */
export function serviceSettings(
  config: Config,
  place: SecretPlace,
  need: TokenNeed,
): ConfiguredServices {
  const services: Partial<Record<ServiceName, ServiceSettings>> = {};
  const unready: UnreadyService[] = [];
  for (const { name: service } of ALL_SERVICES) {
    const configured = config.services?.[service];
    if (!configured) continue;
    const { url } = configured;
    const options = siteOptions(service, config);
    let network: NetworkSettings | null = null;
    try {
      const networkOf = networkSettings(service, config, place);
      network = networkOf;
      const source = configured.token ?? { env: serviceOf(service).setup.token.variable };
      const token = readSecret(`services.${service}.token`, source, place);
      services[service] = describeService(service, url, token, { ...options, network: networkOf });
    } catch (reason) {
      if (need === 'required' || !(reason instanceof HundredfoldError)) throw reason;
      const reference = { service, address: addressOf(url) };
      unready.push({ ...siteOf(service, url, options), reference, network, reason });
    }
  }
  return { services, unready };
}

function siteOptions(service: ServiceName, { services = {} }: Config): SiteOptions {
  const { setup } = serviceOf(service);
  const configured: Partial<NonNullable<(typeof services)[string]>> = services[service] ?? {};
  const { maxDownload, budget } = configured;
  const { maxOpen = setup.budget.maxOpen ?? 'none', statusRequests = STATUS_REQUESTS } = configured;
  const own = Object.keys(setup.keys).filter((key) => key in configured);
  return {
    maxDownload,
    maxOpen: boundOf(maxOpen),
    statusRequests: boundOf(statusRequests),
    limit: limitOf(budget, defaultLimit(service)),
    config: Object.fromEntries(own.map((key) => [key, configured[key as keyof typeof configured]])),
  };
}

/** Settings of one service; also for the local services, whose address is `local`. Throws CONFIG_MOLECULE_TOKEN. */
export function describeService(
  service: ServiceName,
  url: string,
  token: Secret,
  options: SiteOptions,
): ServiceSettings {
  const { length } = serviceOf(service).setup.token;
  if (length !== undefined && token.reveal().length !== length) {
    throw codedError('CONFIG_MOLECULE_TOKEN', {});
  }
  const address = options.address ?? addressOf(url);
  return {
    ...siteOf(service, url, options),
    reference: referenceOf(service, address, token),
    token,
    network: options.network ?? DIRECT,
  };
}

/** Commands that send nothing never compute the fingerprint. */
function referenceOf(service: ServiceName, address: string, token: Secret): ServiceReference {
  return {
    service,
    address,
    get credential() {
      return token.fingerprint();
    },
  };
}

function siteOf(service: ServiceName, url: string, options: SiteOptions): ServiceSite {
  return {
    url,
    config: { ...(serviceOf(service).setup.defaults as ServiceConfig), ...options.config },
    limit: options.limit ?? defaultLimit(service),
    ledgerAddress: options.ledgerAddress ?? options.address ?? addressOf(url),
    maxDownload: options.maxDownload ?? DEFAULT_MAX_DOWNLOAD,
    maxOpen: options.maxOpen ?? null,
    statusRequests: options.statusRequests ?? null,
  };
}

/** A service's short name, used in the name of its budget workflow. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/\/+$/, '');
}

function boundOf(bound: number | 'none'): number | null {
  return bound === 'none' ? null : bound;
}

function limitOf(
  budget: 'none' | { limit: number; window: number } | undefined,
  fallback: Limit,
): Limit {
  if (budget === undefined) return fallback;
  return budget === 'none' ? NO_LIMIT : { limit: budget.limit, windowMs: budget.window };
}
