/** The answers of a firewall, a proxy or a portal in front of a service, by the name of their fault (docs/faults.md). */
import { html } from './html.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './services.ts';

/** The parts of a request that a gateway uses. */
interface GatewayRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The Host header. */
  readonly host: string;
}

interface GatewayAnswer {
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

function captivePortal({ method, url }: GatewayRequest): GatewayAnswer {
  const words = 'Log in to use this network.';
  const read = method === 'GET' || method === 'HEAD';
  if (read && url.split('?')[0] === LOGIN_PATH) return page(200, 'Network login', words);
  return page(302, 'Network login', words, { Location: LOGIN_PATH });
}

/** Each is the answer to every request, whatever it asks for. */
export const GATEWAY_ANSWERS = {
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
} satisfies Readonly<Record<string, (request: GatewayRequest) => GatewayAnswer>>;

/** The last token that a service received: it stores none with its jobs, and status requests have none. */
const seen = new WeakMap<Services, string>();

/** The token of the request; without one, that of the last request that had one. */
export function tokenOf(request: FastifyRequest, services: Services): string | null {
  const { token } = (request.body ?? {}) as { readonly token?: unknown };
  const sent = token ?? request.headers['x-service-token'];
  if (typeof sent === 'string' && sent !== '') seen.set(services, sent);
  return seen.get(services) ?? null;
}

/** A token in the forms of frameworks, proxies and logs. */
function spellings(token: string): readonly string[] {
  return [
    token,
    JSON.stringify(token),
    encodeURIComponent(token),
    ...['', 'u:', 'me:', 'you:'].map((user) => Buffer.from(user + token).toString('base64')),
    Buffer.from(`>>${token}`).toString('base64url'),
  ];
}

const WORDS = /"(?:error|message|status_message|request_text|log|detail)":\s*"/g;

/**
 * The response with the token in its headers, in additional keys, and in all texts that a client stores.
 * @param key of the JSON whose values begin with the token: an id that contains it
 */
export function echoToken(token: string, reply: FastifyReply, body: Buffer, key = ''): Buffer {
  const all = spellings(token).join(' ; ');
  void reply.header('X-Request-Echo', all);
  if (reply.statusCode >= 300) void reply.header('Location', `/elsewhere/${token}?token=${token}`);
  const text = body.toString();
  if (!/^\s*[[{]/.test(text)) return Buffer.from(`${text.replace(/\n*$/, '')}\n# ${all}\n`);
  const words = JSON.stringify(all).slice(1, -1);
  return Buffer.from(
    text
      .replace(/^\s*\{(?=\s*")/, `{"echo":"${words}",`)
      .replace(WORDS, (found) => `${found}${words} `)
      .replaceAll(`"${key}":"`, `"${key}":"${token}`),
  );
}
