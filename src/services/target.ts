/** Address and credentials of a service, checked before the first request. */
import { codedError } from '../domain/errors.ts';

/** Reads the address of a service; paths are appended to it. Throws SERVICE_URL_INVALID. */
export function readServiceUrl(text: string): URL {
  const url = URL.parse(text);
  const http = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !http || url.search !== '' || url.hash !== '') {
    throw codedError('SERVICE_URL_INVALID', { case: 'form' });
  }
  if (url.username !== '' || url.password !== '') {
    throw codedError('SERVICE_URL_INVALID', { case: 'user', host: url.host });
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** A path below the address of a service; `segments` are escaped. */
export function below(base: URL, ...segments: readonly string[]): URL {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/, '');
  url.pathname = `${prefix}/${segments.map(encodeURIComponent).join('/')}`;
  return url;
}

/** Throws TOKEN_UNUSABLE for a token that cannot be sent in a header or is not one of this service. */
export function checkToken(token: string, limit: number): void {
  const said = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(token)
    ? token.length > limit && `is longer than ${limit} characters`
    : 'is empty, or has line breaks, leading or trailing spaces, or non-ASCII characters';
  if (said === false) return;
  throw codedError('TOKEN_UNUSABLE', { fault: said });
}
