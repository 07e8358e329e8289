/** Makes an HTTP request of a description: its address, and the secrets in their places. */
import { HundredfoldError } from '../domain/errors.ts';
import type { Auth, Body, Request, Service, ServiceConfig } from './service.ts';
import type { Unavailable } from '../domain/outcomes.ts';
import { createConnectionFailed, isAnswered } from './answers.ts';
import type { HttpResponse, Http } from './http.ts';

/** Reads the address of a service; paths are appended to it. Throws CONFIG_INVALID. */
export function readServiceUrl(text: string): URL {
  const url = URL.parse(text);
  const http = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !http || url.search !== '' || url.hash !== '') {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      'The address of a service must be an http or https URL, without query and fragment.',
      'Write it as https://host/path in the configuration.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `The address of the service at ${url.host} contains a user name or password.`,
      'Remove them: addresses are shown in messages. The token has its own key.',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** A path below the address of a service; `segments` are escaped. */
function appendPath(base: URL, ...segments: readonly string[]): URL {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/, '');
  url.pathname = `${prefix}/${segments.map(encodeURIComponent).join('/')}`;
  return url;
}

/** Throws CONFIG_INVALID for a token that cannot be sent in a header or is not one of this service. */
export function checkToken(token: string, limit: number): void {
  const said = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(token)
    ? token.length > limit && `is longer than ${limit} characters`
    : 'is empty, or has line breaks, leading or trailing spaces, or non-ASCII characters';
  if (said === false) return;
  throw new HundredfoldError(
    'CONFIG_INVALID',
    `The token of the service ${said}.`,
    'Check the variable or file that the config names for it.',
  );
}

/** What the descriptions of one client have in common. */
export interface Site {
  readonly base: URL;
  /** Other origins that links may lead to. */
  readonly origins: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
}

interface Addressed {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that must not be sent as it is described: a fault of the definition, or of a link that the service gave. */
export class RequestFault extends Error {}

function addressRequest(site: Site, request: Request): Addressed {
  const url = buildUrl(site, request);
  const auth = url.origin === site.base.origin ? (request.auth ?? []) : [];
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {}))
    headers[name.toLowerCase()] = value;
  for (const one of auth) {
    if (one.in === 'basic') {
      const pair = `${readSecretOf(site, one.user)}:${readSecretOf(site, one.password)}`;
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    } else if (one.in === 'query') url.searchParams.set(one.name, buildAuthValue(site, one));
    else if (one.in === 'header') headers[one.name.toLowerCase()] = buildAuthValue(site, one);
  }
  return { url, headers };
}

/** The address of a request, without secrets. */
export function buildUrl({ base, origins }: Omit<Site, 'secrets'>, request: Request): URL {
  const url = resolveTarget(base, request);
  if (url.origin !== base.origin && !origins.some((one) => isMatchingOrigin(url, one)))
    throw new RequestFault(`a link to ${url.origin}, which is no address of the service`);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    url.searchParams.delete(name);
    for (const one of [value].flat()) url.searchParams.append(name, one);
  }
  return url;
}

function resolveTarget(base: URL, request: Request): URL {
  if ('link' in request) {
    const url = URL.parse(request.link, `${base.href.replace(/\/+$/, '')}/`);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
      throw new RequestFault('a link that is no address');
    url.hash = '';
    return url;
  }
  if (request.path.some((segment) => /^\.\.?$/.test(segment)))
    throw new RequestFault('a path that leaves the address of the service');
  return appendPath(base, ...request.path);
}

/** `https://*.example.org`: any host below that one. */
function isMatchingOrigin(url: URL, pattern: string): boolean {
  const [, scheme, host = ''] = /^(https?:)\/\/\*\.(.+)$/.exec(pattern) ?? [];
  if (scheme === undefined) return url.origin === URL.parse(pattern)?.origin;
  return url.protocol === scheme && url.host.endsWith(`.${host}`);
}

interface EncodedBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** With the secrets that belong into it. */
export async function encodeBody(site: Site, request: Request): Promise<EncodedBody> {
  const secret = Object.fromEntries(
    (request.auth ?? []).flatMap((one) =>
      one.in === 'body' ? [[one.name, buildAuthValue(site, one)] as const] : [],
    ),
  );
  const body: Body = request.body ?? { json: {} };
  if ('json' in body) {
    const { json } = body;
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    if (!isObject && Object.keys(secret).length > 0)
      throw new RequestFault('a secret in a body that has no fields');
    const bytes = toBytes(JSON.stringify(isObject ? Object.assign({}, secret, json) : json));
    return { contentType: 'application/json', bytes };
  }
  if ('text' in body) return { contentType: body.type, bytes: toBytes(body.text) };
  const fields = Object.entries({ ...secret, ...('form' in body ? body.form : body.multipart) });
  const pairs = fields.flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  if ('form' in body) {
    const form = new URLSearchParams(pairs.map(([name, value]) => [name, value]));
    const contentType = 'application/x-www-form-urlencoded';
    return { contentType, bytes: toBytes(form.toString()) };
  }
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  for (const [key, { name, text }] of Object.entries(body.files))
    form.set(key, new Blob([text], { type: 'text/plain' }), name);
  // The runtime's own multipart writer, with a known length: some proxies refuse chunked uploads.
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? 'multipart/form-data',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  };
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function buildAuthValue(
  site: Site,
  { secret, prefix = '' }: Exclude<Auth, { in: 'basic' }>,
): string {
  return `${prefix}${readSecretOf(site, secret)}`;
}

function readSecretOf({ secrets }: Site, name: string): string {
  const value = secrets[name];
  if (value === undefined) throw new RequestFault(`there is no secret ${name}`);
  return value;
}

/** What a request of a definition is sent with. */
export interface Asking {
  readonly service: Service;
  readonly config: ServiceConfig;
  readonly site: Site;
  readonly http: Http;
  readonly signal: AbortSignal;
}

/** The address of what a function of the definition describes. Throws RequestFault: the function may be wrong. */
export function describeRequest(
  site: Site,
  describe: () => Request,
): Addressed & { readonly request: Request } {
  try {
    const request = describe();
    return { ...addressRequest(site, request), request };
  } catch (error) {
    throw new RequestFault(error instanceof Error ? error.message : 'its definition failed');
  }
}

/** Throws RequestFault. */
export async function ask(
  asking: Asking,
  describe: () => Request,
  deadlineMs?: number,
): Promise<{ readonly response: HttpResponse; readonly url: URL } | Unavailable> {
  const { url, headers } = describeRequest(asking.site, describe);
  const { http, signal } = asking;
  const given = deadlineMs === undefined ? {} : { deadlineMs };
  const answer = await http.send({ method: 'GET', url, headers, signal, ...given });
  return isAnswered(answer) ? { response: answer, url } : createConnectionFailed(answer);
}
