/** Address and credentials of a service, checked before the first request. */
import { HundredfoldError } from '../domain/errors.ts';

/** Reads the address of a service; paths are appended to it. Throws SERVICE_URL_INVALID. */
export function readServiceUrl(text: string): URL {
  const url = URL.parse(text);
  const http = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !http || url.search !== '' || url.hash !== '') {
    throw new HundredfoldError({
      code: 'SERVICE_URL_INVALID',
      message: 'The address of a service is not an http(s) URL without query and fragment.',
      remedy: 'Write it as https://host/path in the config.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new HundredfoldError({
      code: 'SERVICE_URL_INVALID',
      message: `The address of the service at ${url.host} carries a user name or password.`,
      remedy: 'Remove them: addresses are shown in messages. The token has its own key.',
    });
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
  throw new HundredfoldError({
    code: 'TOKEN_UNUSABLE',
    message: `The token of the service ${said}.`,
    remedy: 'Check the variable or file that the config names for it.',
  });
}
