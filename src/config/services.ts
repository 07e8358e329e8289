/** Settings of each service: its address, our credentials, the limits of submission. */
import type { Policy } from '../budget/policy.ts';
import type { ServiceReference, ServiceName } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { isLocalHost } from '../domain/hosts.ts';
import { DIRECT, readNetworkSettings, type NetworkSettings } from './network.ts';
import { listServices, findService } from '../services/registry.ts';
import { OWN_PACE, type PollPace } from '../services/polling.ts';
import { parseConfig, type Pace, type Service, type ServiceConfig } from '../services/service.ts';
import { budget, duration, toBudget, type Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace, type SecretSource } from './secret.ts';

/** What the contract of the service allows. */
export function createDefaultPolicy(service: ServiceName): Policy {
  const definition = findService(service);
  const { maxOpen, counts = 'accepted' } = definition.budget;
  return { windows: budget.parse(toBudget(definition)), maxOpen, counts };
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
  /** When its jobs are polled, and how closely requests may follow each other. */
  readonly pace: PollPace;
}

/** A service that can be used. */
export interface ServiceSettings extends ServiceSite {
  readonly reference: ServiceReference;
  /** By their names in the definition of the service. */
  readonly secrets: Readonly<Record<string, Secret>>;
  readonly network: NetworkSettings;
  /** Absent for the service itself. */
  readonly lane?: Lane;
}

/** Engines of the user's own, which compute rows of a campaign beside the service. */
export interface Lane {
  readonly name: string;
  /** Jobs at a time; those that wait there are as many at most. */
  readonly maxOpen: number;
  /** The user says that its engine is that of the service. */
  readonly sameEngine: boolean;
  /** Its program and version, where they are known without a result. */
  readonly engine?: string;
}

/**
 * Not a secret: for the services of this project. Ten characters, as the molecule service requires. Never a token of the
 * environment: the local services store the tokens they receive in their database.
 */
export const LOCAL_TOKEN = 'local-user';

/** The name of the lane, and the address, of `run --also engines`. */
export const ENGINES = 'engines';

/** A campaign bounds its open jobs exactly: a budget counts them in an index that lags by seconds. */
const LANE_POLICY: Policy = { windows: [], maxOpen: null, counts: 'accepted' };

export function describeLane(settings: ServiceSettings, lane: Lane): ServiceSettings {
  return { ...settings, policy: LANE_POLICY, pace: OWN_PACE, lane };
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
  /** Of all services. */
  readonly lanes: readonly ServiceSettings[];
  /** Empty if tokens are required. */
  readonly unready: readonly UnreadyService[];
}

/** All that jobs can be sent to: the services, and their lanes. */
export function listServiceSettings({
  services,
  lanes,
}: Pick<ConfiguredServices, 'services' | 'lanes'>): readonly ServiceSettings[] {
  return [...Object.values(services), ...lanes];
}

type SiteOptions = Partial<Omit<ServiceSite, 'url'>> & {
  readonly address?: string;
  readonly network?: NetworkSettings;
};

/** If tokens are required, throws CONFIG_INVALID and everything that `readNetworkSettings` throws. */
export function readServiceSettings(
  config: Config,
  place: SecretPlace,
  need: TokenNeed,
): ConfiguredServices {
  const services: Record<ServiceName, ServiceSettings> = {};
  const unready: UnreadyService[] = [];
  const lanes: ServiceSettings[] = [];
  for (const definition of listServices()) {
    const service = definition.name;
    const configured = config.services?.[service];
    if (!configured) continue;
    const { url } = configured;
    lanes.push(...readLanes(definition, configured, place));
    const options = readSiteOptions(definition, configured);
    let network: NetworkSettings | null = null;
    try {
      network = readNetworkSettings(`services.${service}`, configured, place);
      const secrets = readSecrets(definition, configured, place);
      services[service] = describeService(service, url, secrets, { ...options, network });
    } catch (reason) {
      if (need === 'required' || !(reason instanceof HundredfoldError)) throw reason;
      const reference = { service, address: toAddress(url) };
      unready.push({ ...createSite(service, url, options), reference, network, reason });
    }
  }
  return { services, lanes, unready };
}

/** Throws CONFIG_INVALID, CONFIG_TOKEN_OVER_HTTP. */
function readLanes(
  { name: service, secrets: required }: Service,
  { url: ownUrl, lanes = [] }: Configured,
  place: SecretPlace,
): ServiceSettings[] {
  // A lane never gets a secret of the service.
  const keys = Object.keys(required);
  const secrets = Object.fromEntries(keys.map((key) => [key, new Secret(LOCAL_TOKEN)]));
  // This machine has several names.
  const normalise = (url: string) =>
    toAddress(url).replace(/^(?:localhost|\[::1\])(?=[:/]|$)/, '127.0.0.1');
  const addresses = new Map([[normalise(ownUrl), 'the service itself']]);
  // `service` is the word for the service itself.
  const names = new Set([ENGINES, 'service']);
  return lanes.map(({ name, maxOpen, sameEngine, ...site }, i) => {
    const key = `services.${service}.lanes.${i}`;
    const address = normalise(site.url);
    const other = addresses.get(address);
    if (other !== undefined)
      throw createLaneError(`${key}.url: ${site.url} is the address of ${other}`, 'an address');
    if (names.has(name))
      throw createLaneError(`${key}.name: the name ${name} is used already`, 'a name');
    addresses.set(address, `the lane ${name}`);
    names.add(name);
    // Without headers, which are a login for the service.
    const network = readNetworkSettings(key, site, place, 'the inputs');
    const settings = describeService(service, site.url, secrets, { network });
    return describeLane(settings, { name, maxOpen, sameEngine });
  });
}

function createLaneError(problem: string, what: string): HundredfoldError {
  return new HundredfoldError(
    'CONFIG_INVALID',
    problem,
    `Give each lane ${what} of its own, or remove one of them.`,
  );
}

type Configured = NonNullable<NonNullable<Config['services']>[string]>;

function readSecrets({ name, secrets }: Service, configured: Configured, place: SecretPlace) {
  const sources = configured as unknown as Readonly<Record<string, SecretSource>>;
  const read = Object.keys(secrets).map((key) => {
    const source = sources[key] as SecretSource;
    return [key, readSecret(`services.${name}.${key}`, source, place)] as const;
  });
  return Object.fromEntries(read);
}

function readSiteOptions(definition: Service, configured: Configured): SiteOptions {
  const { budget: windows, maxOpen } = configured;
  const { counts = 'accepted' } = definition.budget;
  const own = Object.keys(definition.config.shape).filter((key) => key in configured);
  return {
    pace: toPollPace(definition.pace, configured),
    policy: { windows, maxOpen, counts },
    config: Object.fromEntries(own.map((key) => [key, configured[key as keyof Configured]])),
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
    const required = findService(service).secrets[key]?.length;
    const { length } = secret.reveal();
    if (required !== undefined && length !== required)
      throw new HundredfoldError(
        'CONFIG_INVALID',
        `services.${service}.${key} has ${length} characters, and not ${required}`,
        `Use the identifier of ${required} characters that the service issued to you.`,
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
    pace: options.pace ?? OWN_PACE,
  };
}

/** A service's short name, used in the name of its budget workflow. */
function toAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/\/+$/, '');
}

/** As the definition says, with what is configured. A service on this machine is polled as often as it likes. */
function toPollPace({ every, atMost, between }: Pace, { url, poll = {} }: Configured): PollPace {
  const isOwn = isLocalHost(URL.parse(url)?.hostname ?? '');
  return {
    everyMs: poll.every ?? (isOwn ? OWN_PACE.everyMs : duration.parse(every)),
    atMostMs: poll.atMost ?? duration.parse(atMost),
    betweenMs: between === undefined || isOwn ? 0 : duration.parse(between),
  };
}
