/** Settings of each service: its address, our credentials, the limits of submission. */
import type { Policy } from '../budget/policy.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { isLocalHost } from '../domain/addresses.ts';
import { DEFAULT_MAX_DOWNLOAD } from '../domain/limits.ts';
import { DIRECT, readNetworkSettings, type NetworkSettings } from './network.ts';
import { listServices, findService } from '../services/registry.ts';
import { OWN_PACE, type PollPace } from '../services/polling.ts';
import { parseConfig, type Pace, type ServiceConfig } from '../services/service.ts';
import { duration, type Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace, type SecretSource } from './secret.ts';

/** What the contract of the service allows. */
export function createDefaultPolicy(service: ServiceName): Policy {
  const { windows, maxOpen, counts = 'accepted' } = findService(service).budget;
  const read = windows.map(({ limit, window }) => ({ limit, windowMs: duration.parse(window) }));
  return { windows: read, maxOpen, counts };
}

/** A service as the configuration describes it, without a credential. */
interface ServiceSite {
  readonly url: string;
  /** Of the keys of the service's own. */
  readonly config: ServiceConfig;
  readonly policy: Policy;
  /**
   * The address in the ledger of this machine: services of two folders may both be called `local` but count separately.
   */
  readonly ledgerAddress: string;
  /** Maximum bytes of one downloaded file. */
  readonly maxDownload: number;
  /** When its jobs are polled, and how closely requests may follow each other. */
  readonly pace: PollPace;
}

/** A service that can be used. */
export interface ServiceSettings extends ServiceSite {
  readonly reference: ServiceReference;
  /** By their names in the definition of the service. */
  readonly secrets: Readonly<Record<string, Secret>>;
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
  readonly services: Readonly<Record<ServiceName, ServiceSettings>>;
  /** Empty if tokens are required. */
  readonly unready: readonly UnreadyService[];
}

type SiteOptions = Partial<Omit<ServiceSite, 'url' | 'maxDownload'>> & {
  readonly address?: string;
  readonly network?: NetworkSettings;
  readonly maxDownload?: number | undefined;
};

/** If tokens are required, throws CONFIG_INVALID and everything that `readNetworkSettings` throws. */
export function readServiceSettings(
  config: Config,
  place: SecretPlace,
  need: TokenNeed,
): ConfiguredServices {
  const services: Record<ServiceName, ServiceSettings> = {};
  const unready: UnreadyService[] = [];
  for (const { name, secrets: wanted } of listServices()) {
    const service = name;
    const configured = config.services?.[service];
    if (!configured) continue;
    const { url } = configured;
    const sources = configured as unknown as Readonly<Partial<Record<string, SecretSource>>>;
    const options = readSiteOptions(service, config);
    let network: NetworkSettings | null = null;
    try {
      const networkOf = readNetworkSettings(service, config, place);
      network = networkOf;
      const secrets = Object.fromEntries(
        Object.entries(wanted).map(([key, { env }]) => {
          const source = sources[key] ?? { env };
          return [key, readSecret(`services.${service}.${key}`, source, place)];
        }),
      );
      services[service] = describeService(service, url, secrets, {
        ...options,
        network: networkOf,
      });
    } catch (reason) {
      if (need === 'required' || !(reason instanceof HundredfoldError)) throw reason;
      const reference = { service, address: toAddress(url) };
      unready.push({ ...createSite(service, url, options), reference, network, reason });
    }
  }
  return { services, unready };
}

function readSiteOptions(service: ServiceName, { services = {} }: Config): SiteOptions {
  const definition = findService(service);
  const configured: Partial<NonNullable<(typeof services)[string]>> = services[service] ?? {};
  const { maxDownload, budget } = configured;
  const { maxOpen } = configured;
  const usual = createDefaultPolicy(service);
  const own = Object.keys(definition.config.shape).filter((key) => key in configured);
  return {
    maxDownload,
    pace: toPollPace(definition.pace, configured),
    policy: {
      ...usual,
      windows: budget === undefined ? usual.windows : toWindows(budget),
      maxOpen: maxOpen === undefined ? usual.maxOpen : toBound(maxOpen),
    },
    config: Object.fromEntries(own.map((key) => [key, configured[key as keyof typeof configured]])),
  };
}

/** Settings of one service; also for the local services, whose address is `local`. Throws CONFIG_INVALID. */
export function describeService(
  service: ServiceName,
  url: string,
  secrets: Readonly<Record<string, Secret>>,
  options: SiteOptions,
): ServiceSettings {
  for (const [key, secret] of Object.entries(secrets)) {
    const length = findService(service).secrets[key]?.length;
    if (length !== undefined && secret.reveal().length !== length)
      throw new HundredfoldError(
        'CONFIG_INVALID',
        'the token of the molecule service is not 10 characters long',
        'Use the 10-character identifier that the service issued to you.',
      );
  }
  const address = options.address ?? toAddress(url);
  return {
    ...createSite(service, url, options),
    reference: createReference(service, address, secrets),
    secrets,
    network: options.network ?? DIRECT,
  };
}

/** The values of the secrets, by name: only for the client. */
export function revealSecrets({
  secrets,
}: Pick<ServiceSettings, 'secrets'>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(secrets).map(([key, one]) => [key, one.reveal()]));
}

/** Commands that send nothing never compute the fingerprint. A service without secrets has that of none. */
function createReference(
  service: ServiceName,
  address: string,
  secrets: Readonly<Record<string, Secret>>,
): ServiceReference {
  const [only = new Secret(''), ...more] = Object.values(secrets);
  return {
    service,
    address,
    get credential() {
      if (more.length === 0) return only.fingerprint();
      return new Secret([only, ...more].map((one) => one.reveal()).join('\n')).fingerprint();
    },
  };
}

function createSite(service: ServiceName, url: string, options: SiteOptions): ServiceSite {
  return {
    url,
    config: parseConfig(findService(service), options.config ?? {}),
    // The queue of local services is their user's own.
    policy: options.policy ?? { ...createDefaultPolicy(service), maxOpen: null },
    ledgerAddress: options.ledgerAddress ?? options.address ?? toAddress(url),
    maxDownload: options.maxDownload ?? DEFAULT_MAX_DOWNLOAD,
    pace: options.pace ?? OWN_PACE,
  };
}

/** A service's short name, used in the name of its budget workflow. */
function toAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/\/+$/, '');
}

function toBound(bound: number | 'none'): number | null {
  return bound === 'none' ? null : bound;
}

/** As the definition says, with what is configured. A service on this machine is polled as often as it likes. */
function toPollPace({ every, atMost, between }: Pace, { url, poll = {} }: PacedService): PollPace {
  const isOwn = isLocalHost(URL.parse(url ?? '')?.hostname ?? '');
  return {
    everyMs: poll.every ?? (isOwn ? OWN_PACE.everyMs : duration.parse(every)),
    atMostMs: poll.atMost ?? duration.parse(atMost),
    betweenMs: between === undefined || isOwn ? 0 : duration.parse(between),
  };
}

interface PacedService {
  readonly url?: string | undefined;
  readonly poll?:
    undefined | { readonly every?: number | undefined; readonly atMost?: number | undefined };
}

type WindowSetting = Readonly<Record<'limit' | 'window', number>>;

function toWindows(budget: 'none' | WindowSetting | WindowSetting[]): Policy['windows'] {
  if (budget === 'none') return [];
  return [budget].flat().map(({ limit, window }) => ({ limit, windowMs: window }));
}
