/** The target of a redirect. None is followed: it would pass on the token. */
import type { HttpResponse } from './http-answer.ts';

/** Statuses of a permanent change of address (RFC 9110, 15.4.2 and 15.4.9). */
export const PERMANENT: readonly number[] = [301, 308];

/**
 * Null when it is not a redirect, or has no http address.
 * @param form `shown`: without user name, password, query and fragment
 */
export function redirectTarget(
  { status, headers }: HttpResponse,
  from: URL,
  form: 'shown' | 'whole' = 'shown',
): string | null {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return null;
  const target = URL.parse(location, from.href);
  if (target === null || !/^https?:$/.test(target.protocol)) return null;
  return form === 'whole' ? target.href : target.origin + target.pathname;
}

/** What a redirect means and what to do about a permanent one; null for every other answer. */
export function redirectWords(answer: HttpResponse): string | null {
  if (answer.status < 300 || answer.status >= 400) return null;
  const url = URL.parse(answer.where.replace(/^\w+ /, ''));
  const target = url && redirectTarget(answer, url);
  if (target === null) return null;
  if (!PERMANENT.includes(answer.status)) return `a redirect to ${target}, which is not followed`;
  return `moved permanently to ${target}: change the url of the service in the configuration`;
}
