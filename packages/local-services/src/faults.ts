/**
 * Faults by name: errors of a service, a proxy or a network, switched on by rules. `docs/faults.md` has the list with
 * examples. A rule fires for each matching request, up to `times` times.
 */
import { SERVICES, type ServiceName } from './contract.ts';
import { Refusal } from './refusal.ts';

/** What a firewall, a proxy or a portal in front of the services answers. */
interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Fault {
  readonly stage: Stage;
  /** If the rule names none; null: all. */
  readonly endpoints: readonly Endpoint[] | null;
  /** Of a gateway: the answer to every request, also where the service has no endpoint. */
  readonly answer?: (request: { method: string; url: string; host: string }) => GatewayAnswer;
}

function createPage(status: number, title: string, words: string, headers = {}): GatewayAnswer {
  const head = `<head><meta charset="utf-8" /><title>${title}</title></head>`;
  const body = `<!doctype html><html lang="en">${head}<body><h1>${title}</h1><p>${words}</p></body></html>`;
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body };
}

const atGateway = <T extends NonNullable<Fault['answer']>>(answer: T) =>
  ({ stage: 'gateway', endpoints: null, answer }) as const;

const LOGIN_PATH = '/captive-portal/login';

/** The stage of a request at which a fault applies. */
type Stage = 'listener' | 'clock' | 'gateway' | 'before' | 'acceptance' | 'after';

/** Every fault; docs/faults.md says what each does. */
export const FAULTS = {
  refuse: { stage: 'listener', endpoints: null },
  skew: { stage: 'clock', endpoints: null },
  'firewall-403': atGateway(() =>
    createPage(403, 'Request blocked', 'The web application firewall blocked this request.'),
  ),
  'expired-token': atGateway(() => ({
    status: 401,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'WWW-Authenticate': 'Bearer realm="services", error="invalid_token"',
    },
    body: '{"error":"invalid_token","error_description":"The access token expired"}',
  })),
  'maintenance-html': atGateway(() =>
    createPage(
      200,
      'Scheduled maintenance',
      'The service is being maintained and will be back shortly.',
    ),
  ),
  'redirect-https': atGateway(({ host, url }) => {
    const headers = { Location: `https://${host}${url}` };
    return createPage(308, 'Permanent Redirect', 'This site is served over https.', headers);
  }),
  'captive-portal': atGateway(({ method, url }) => {
    const isLogin = /^(GET|HEAD)$/.test(method) && url.split('?')[0] === LOGIN_PATH;
    const words = 'Log in to use this network.';
    return isLogin
      ? createPage(200, 'Network login', words)
      : createPage(302, 'Network login', words, { Location: LOGIN_PATH });
  }),
  'proxy-auth': atGateway(() => {
    const headers = { 'Proxy-Authenticate': 'Basic realm="gateway"' };
    return createPage(
      407,
      'Proxy authentication required',
      'Give a user name and a password.',
      headers,
    );
  }),
  hang: { stage: 'before', endpoints: null },
  reset: { stage: 'before', endpoints: null },
  slow: { stage: 'before', endpoints: null },
  error: { stage: 'before', endpoints: null },
  'rate-limit': { stage: 'before', endpoints: ['submit'] },
  reject: { stage: 'before', endpoints: ['submit'] },
  'accept-late': { stage: 'before', endpoints: ['submit'] },
  unknown: { stage: 'before', endpoints: ['status', 'results', 'history'] },
  lose: { stage: 'acceptance', endpoints: ['submit'] },
  fail: { stage: 'acceptance', endpoints: ['submit'] },
  'kill-engine': { stage: 'acceptance', endpoints: ['submit'] },
  'stuck-heartbeat': { stage: 'acceptance', endpoints: ['submit'] },
  'slow-after': { stage: 'after', endpoints: ['submit'] },
  'hang-after': { stage: 'after', endpoints: ['submit'] },
  'reset-after': { stage: 'after', endpoints: ['submit'] },
  'error-after': { stage: 'after', endpoints: ['submit'] },
  truncate: { stage: 'after', endpoints: null },
  'wrong-type': { stage: 'after', endpoints: null },
  garble: { stage: 'after', endpoints: null },
  nan: { stage: 'after', endpoints: ['results', 'download'] },
  'missing-key': { stage: 'after', endpoints: ['results'] },
  'echo-token': { stage: 'after', endpoints: null },
  'forget-past-results': { stage: 'after', endpoints: ['past-results'] },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export type GatewayFault = {
  [N in FaultName]: (typeof FAULTS)[N]['stage'] extends 'gateway' ? N : never;
}[FaultName];

/** `status` is a request for an unfinished job, `results` for one that has ended. */
const ENDPOINTS = ['submit', 'status', 'results', 'history', 'download', 'past-results'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

export interface FaultRule {
  readonly name: FaultName;
  /** Default: both. */
  readonly service?: ServiceName;
  /** Default: those of the fault. */
  readonly endpoint?: Endpoint;
  /** Maximum number of firings; default: unlimited. */
  readonly times?: number;
  /** Probability that a matching request is affected, 0 to 1; default 1. */
  readonly probability?: number;
  /** Makes the probabilities repeatable. */
  readonly seed?: number;
  readonly status?: number;
  readonly ms?: number;
  /** Seconds. */
  readonly retryAfter?: number | null;
  /** For `missing-key` and `echo-token`. */
  readonly key?: string;
}

interface Armed {
  readonly rule: FaultRule;
  left: number;
  readonly random: () => number;
}

/** A request that met a fault. */
interface FiredFault {
  /** ms since the epoch. */
  readonly at: number;
  readonly name: FaultName;
  readonly service: ServiceName;
}

export class Faults {
  #armed: Armed[] = [];
  readonly #fired: FiredFault[] = [];
  /** Called after every change of the rules: the listener's faults apply without a request. */
  onChange: () => void = () => undefined;

  /** Replaces all rules. */
  set(rules: readonly FaultRule[]): void {
    this.#armed = rules.map(createArmedRule);
    this.onChange();
  }

  add(rule: FaultRule): void {
    this.#armed.push(createArmedRule(rule));
    this.onChange();
  }

  clear(): void {
    this.set([]);
  }

  /** The rules with their remaining firings (null = unlimited). */
  list(): (FaultRule & { readonly left: number | null })[] {
    return this.#armed.map(({ rule, left }) => ({
      ...rule,
      left: Number.isFinite(left) ? left : null,
    }));
  }

  /** Every request that met a fault, in order. */
  fired(): readonly FiredFault[] {
    return this.#fired;
  }

  get active(): boolean {
    return this.#armed.length > 0;
  }

  /** The active rule of a fault without requests (`refuse`, `skew`). */
  findActive(name: 'refuse' | 'skew'): FaultRule | undefined {
    return this.#armed.find(({ rule }) => rule.name === name)?.rule;
  }

  /**
   * The rules of a stage that apply to this request, in order. A rule's firing is counted when it is taken, so that
   * rules after one that responds are not used up.
   */
  *strike(
    stage: Stage,
    service: ServiceName,
    endpoint: Endpoint | null,
    applies: (rule: FaultRule) => boolean = () => true,
  ): Generator<FaultRule, undefined> {
    for (const armed of this.#armed) {
      const { rule } = armed;
      if (armed.left <= 0 || FAULTS[rule.name].stage !== stage || !applies(rule)) continue;
      if ((rule.service ?? service) !== service || !matchesRequest(rule, endpoint)) continue;
      if (armed.random() >= (rule.probability ?? 1)) continue;
      armed.left -= 1;
      this.#fired.push({ at: Date.now(), name: rule.name, service });
      yield rule;
    }
    return undefined;
  }
}

/** @param endpoint null for any other address of the service */
function matchesRequest(rule: FaultRule, endpoint: Endpoint | null): boolean {
  if (rule.endpoint !== undefined) return rule.endpoint === endpoint;
  const endpoints: readonly Endpoint[] | null = FAULTS[rule.name].endpoints;
  return endpoints === null || (endpoint !== null && endpoints.includes(endpoint));
}

function createArmedRule(rule: FaultRule): Armed {
  const { name, endpoint, service, seed, times = Number.POSITIVE_INFINITY } = rule;
  const check = (what: string, value: string | undefined, known: readonly string[]): void => {
    if (value === undefined || known.includes(value)) return;
    throw new Refusal(400, `Unknown ${what} "${value}"; they are ${known.join(', ')}.`);
  };
  check('fault', name, Object.keys(FAULTS));
  check('endpoint', endpoint, ENDPOINTS);
  check('service', service, SERVICES);
  return { rule, left: times, random: seed === undefined ? Math.random : createRandom(seed) };
}

/** mulberry32: small, and good enough for this. Each call returns a number in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
