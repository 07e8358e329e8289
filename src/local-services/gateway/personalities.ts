/**
 * The responses of a misbehaving gateway, by name. Pure: requests in, responses out. `docs/local-services.md` has the
 * table.
 */
import { html } from '../html.ts';
import { Refusal } from '../refusal.ts';

export const GATEWAY_NAMES = [
  'firewall-403',
  'expired-token',
  'maintenance-html',
  'redirect-https',
  'captive-portal',
  'flapping-404',
  'slow-answers',
  'proxy-auth',
] as const;
export type GatewayName = (typeof GATEWAY_NAMES)[number];

/** A personality, and when it is active. */
export interface GatewayRule {
  readonly name: GatewayName;
  /** ms until the misbehaviour begins; default 0. */
  readonly afterMs?: number;
  /** Duration of the misbehaviour in ms; default: until another rule is set. */
  readonly forMs?: number;
  /** Makes `flapping-404` and `slow-answers` repeatable; default 1. */
  readonly seed?: number;
  /**
   * In ms. `flapping-404`: how long a new job is unknown (default 3000). `slow-answers`: longest delay (default 2500).
   */
  readonly ms?: number;
  /** `flapping-404`: the chance of a 404 after that, 0 to 1; default 0.25. */
  readonly probability?: number;
}

/** The parts of a request that a gateway uses. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The Host header. */
  readonly host: string;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The redirect target of `captive-portal`. */
const LOGIN_PATH = '/captive-portal/login';

function page(status: number, title: string, words: string, headers = {}): GatewayAnswer {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
      </head>
      <body>
        <h1>${title}</h1>
        <p>${words}</p>
      </body>
    </html> `;
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
    body: text,
  };
}

function json(status: number, value: unknown, headers = {}): GatewayAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** The response for a job that the service does not find (contract of the prediction service, 4.4). */
export const NOT_FOUND: GatewayAnswer = json(404, { error: 'Request not found' });

function captivePortal({ method, url }: GatewayRequest): GatewayAnswer {
  const words = 'Log in to use this network.';
  const read = method === 'GET' || method === 'HEAD';
  if (read && url.split('?')[0] === LOGIN_PATH) return page(200, 'Network login', words);
  return page(302, 'Network login', words, { Location: LOGIN_PATH });
}

/** The response of each personality to all requests; the other two relay requests. */
const UNIFORM: Readonly<
  Record<
    Exclude<GatewayName, 'flapping-404' | 'slow-answers'>,
    (request: GatewayRequest) => GatewayAnswer
  >
> = {
  'firewall-403': () =>
    page(
      403,
      'Request blocked',
      'The web application firewall blocked this request. Contact the site owner with incident 7f3a-0c51.',
    ),
  'expired-token': () =>
    json(
      401,
      { error: 'invalid_token', error_description: 'The access token expired' },
      { 'WWW-Authenticate': 'Bearer realm="services", error="invalid_token"' },
    ),
  'maintenance-html': () =>
    page(200, 'Scheduled maintenance', 'The service is being maintained and will be back shortly.'),
  'redirect-https': ({ host, url }) =>
    page(308, 'Permanent Redirect', 'This site is served over https.', {
      Location: `https://${host}${url}`,
    }),
  'captive-portal': captivePortal,
  'proxy-auth': () =>
    page(407, 'Proxy authentication required', 'This proxy needs a user name and a password.', {
      'Proxy-Authenticate': 'Basic realm="gateway"',
    }),
};

/** The response of a personality that relays nothing; null for the others. */
export function uniformAnswer(name: GatewayName, request: GatewayRequest): GatewayAnswer | null {
  return name === 'flapping-404' || name === 'slow-answers' ? null : UNIFORM[name](request);
}

/**
 * The job of a GET for its status, result or history. Null for downloads, lists and all other requests. The molecule
 * service has `/api/queue/<id>/` and `/api/<id>/`, the prediction service `results/<id>/` and `results/<id>/history/`.
 */
export function jobOf({ method, url }: GatewayRequest): string | null {
  if (method !== 'GET') return null;
  const path = url.split('?')[0] ?? '';
  const found = /\/(?:api\/queue|results|acpype\/api)\/([^/]+)\/(?:history\/)?$/.exec(path);
  return found?.[1] ?? null;
}

/** The rule from a name or a client's request. Throws a 400 that says what is wrong. */
export function checkedRule(rule: GatewayName | GatewayRule | undefined): GatewayRule {
  const checked = typeof rule === 'string' ? { name: rule } : rule;
  // Over HTTP, any value is possible.
  const { name } = (checked ?? {}) as { readonly name?: GatewayName };
  if (name === undefined || !GATEWAY_NAMES.includes(name)) {
    const known = GATEWAY_NAMES.join(', ');
    throw new Refusal(400, `Unknown gateway "${name ?? ''}"; expected one of ${known}.`);
  }
  for (const key of ['afterMs', 'forMs', 'seed', 'ms', 'probability'] as const) {
    const value: unknown = (checked as GatewayRule)[key];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new Refusal(400, `${key} of the gateway must be a number, 0 or above.`);
    }
  }
  return checked as GatewayRule;
}
