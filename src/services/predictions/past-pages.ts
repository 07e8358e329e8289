/** The past results of the token for one prediction type (contract 4.7), page by page. */
import type { Kind } from '../../domain/item.ts';
import { parseJson } from '../../results/json.ts';
import { connectionFailed, isAnswered, unavailable, type Unavailable } from '../availability.ts';
import { complexity } from '../bounded-json.ts';
import type { PredictionsAccess } from './access.ts';
import { nextPage } from './past-results.ts';

const TYPE_OF_KIND: Readonly<Partial<Record<Kind, string>>> = {
  sequence: 'single-sequence',
  alignment: 'msa',
  shifts: 'shiftcrypt',
};
/** Bytes: a token's whole past, about 1 kB an entry. */
const LIST_LIMIT = 32 * 1024 * 1024;
/** Pages at most: a list that never ends is no answer. */
const PAGE_LIMIT = 200;

export type PastPage =
  | { readonly type: 'page'; readonly json: unknown }
  /** The service has no such list, or one that cannot be read; the last page. */
  | { readonly type: 'unsupported' }
  /** The last page. */
  | Unavailable;

export async function* pastPages(
  access: PredictionsAccess,
  kind: Kind,
  signal: AbortSignal,
): AsyncGenerator<PastPage> {
  const type = TYPE_OF_KIND[kind];
  if (type === undefined) {
    yield { type: 'unsupported' };
    return;
  }
  const url = access.api('past-results', type, '');
  const seen = new Set<string>();
  while (!seen.has(url.search) && seen.size < PAGE_LIMIT) {
    seen.add(url.search);
    const page = await pageAt(access, url, signal);
    yield page;
    const query = page.type === 'page' ? nextPage(page.json) : null;
    if (query === null) return;
    url.search = query;
  }
  yield unreadable(`${url.origin}${url.pathname}: the list of past results does not end`);
}

async function pageAt(access: PredictionsAccess, url: URL, signal: AbortSignal): Promise<PastPage> {
  const headers = { 'x-service-token': access.token };
  const answer = await access.http.send({ method: 'GET', url, headers, signal });
  if (!isAnswered(answer)) return connectionFailed(answer);
  // Not an empty list: a service without it cannot say that a job does not exist.
  if (answer.status === 404) {
    await answer.body.discard();
    return { type: 'unsupported' };
  }
  if (answer.status !== 200) return unavailable(answer);
  const body = await answer.body.text(LIST_LIMIT);
  if (body.type === 'broken') return unreadable(body.message);
  // It will not be shorter the next time.
  if (body.type === 'tooLong' || complexity(body.text) !== null) return { type: 'unsupported' };
  const json = parseJson(body.text);
  if (json === undefined) return unreadable(`${answer.where}: the answer is not JSON`);
  return { type: 'page', json };
}

function unreadable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}
