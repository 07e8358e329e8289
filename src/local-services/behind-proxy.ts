/**
 * For services behind a reverse proxy: their path prefix, and the addresses in their responses. Any client can send
 * X-Forwarded headers, so these count only with `trustProxy`, and then only those of the nearest proxy.
 */
import type { FastifyRequest, FastifyServerOptions } from 'fastify';

export interface ProxySettings {
  /** Path prefix of both services, without a trailing slash; '' for none. */
  readonly basePath: string;
  /** Whether X-Forwarded headers of the nearest proxy count. */
  readonly trustProxy: boolean;
}

/** `/tools/md`: no trailing slash, and no characters that are special in a URL. */
const PATH = /^(\/[\w.~-]+)+$/;

/** A path prefix without its trailing slash; '' for none; null if it is not a plain path. */
export function pathPrefix(text: string): string | null {
  const path = text.trim().replace(/\/+$/, '');
  return path === '' || (PATH.test(path) && !/\/\.{1,2}(\/|$)/.test(path)) ? path : null;
}

/** The routes match with and without the prefix, because a proxy may remove it. */
export function proxyOptions(
  { basePath, trustProxy }: ProxySettings,
  gateway: boolean,
): Pick<FastifyServerOptions, 'rewriteUrl' | 'trustProxy'> {
  // Number of trusted hops: the gateway forwards the address of its client.
  const hops = Number(trustProxy) + Number(gateway);
  return {
    trustProxy: hops > 0 && ((_address: string, hop: number) => hop < hops),
    rewriteUrl: ({ url = '/' }) => withoutPrefix(url, basePath),
  };
}

export function withoutPrefix(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

/** The prefix of every path in a response. */
export function prefixFor(
  request: FastifyRequest,
  { basePath, trustProxy }: ProxySettings,
): string {
  const forwarded = trustProxy ? last(request.headers['x-forwarded-prefix']) : undefined;
  return (forwarded === undefined ? null : pathPrefix(forwarded)) ?? basePath;
}

/** `https://host` if a trusted proxy says so; '' otherwise: the client resolves it relative to its own address. */
export function originFor(request: FastifyRequest, { trustProxy }: ProxySettings): string {
  const host = trustProxy ? last(request.headers['x-forwarded-host']) : undefined;
  if (host === undefined || !/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)) return '';
  const protocol = last(request.headers['x-forwarded-proto']);
  return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
}

/** The value from the nearest of several proxies. */
function last(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim();
}
