/**
 * The services behind a reverse proxy: below which path they answer, and which addresses they name. A stranger can
 * write any X-Forwarded header, so these count only with `trustProxy`, and then of the nearest proxy alone.
 */
import type { FastifyRequest, FastifyServerOptions } from 'fastify';

export interface ProxySettings {
  /** Path in front of both services, without a slash at the end; '' for none. */
  readonly basePath: string;
  /** Whether X-Forwarded headers of the nearest proxy count. */
  readonly trustProxy: boolean;
}

/** `/tools/md`: no slash at the end, nothing that a browser or a URL would read otherwise. */
const PATH = /^(\/[\w.~-]+)+$/;

/** A path prefix without the slash at its end; '' for none; null when it is no plain path. */
export function pathPrefix(text: string): string | null {
  const path = text.trim().replace(/\/+$/, '');
  return path === '' || (PATH.test(path) && !/\/\.{1,2}(\/|$)/.test(path)) ? path : null;
}

/**
 * Requests below the prefix are those of the routes; also without it they are answered, because a proxy may remove
 * it on the way.
 */
export function proxyOptions(
  { basePath, trustProxy }: ProxySettings,
  gateway: boolean,
): Pick<FastifyServerOptions, 'rewriteUrl' | 'trustProxy'> {
  // Hops whose word counts: the gateway tells the address of whoever asked it.
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

/** The prefix of every path that an answer names. */
export function prefixFor(
  request: FastifyRequest,
  { basePath, trustProxy }: ProxySettings,
): string {
  const forwarded = trustProxy ? last(request.headers['x-forwarded-prefix']) : undefined;
  return (forwarded === undefined ? null : pathPrefix(forwarded)) ?? basePath;
}

/** `https://host` where a trusted proxy says so; '' otherwise: the reader knows best how it came here. */
export function originFor(request: FastifyRequest, { trustProxy }: ProxySettings): string {
  const host = trustProxy ? last(request.headers['x-forwarded-host']) : undefined;
  if (host === undefined || !/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)) return '';
  const protocol = last(request.headers['x-forwarded-proto']);
  return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
}

/** What the nearest of several proxies wrote. */
function last(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim();
}
