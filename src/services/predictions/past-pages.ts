/** The past results of the token, page by page: for one prediction type (contract 4.7), and chains of shifts (4.8). */
import type { Kind } from '../../domain/item.ts';
import type { Unavailable } from '../../domain/outcomes.ts';
import { parseJson } from '../../results/json.ts';
import { connectionFailed, isAnswered, unavailable } from '../availability.ts';
import { complexity } from '../bounded-json.ts';
import type { PredictionsAccess } from './access.ts';
import { nextPage } from './past-results.ts';

const TYPE_OF_KIND: Readonly<Partial<Record<Kind, string>>> = {
  sequence: 'single-sequence',
  alignment: 'msa',
  shifts: 'shiftcrypt',
};
/** Bytes: all past results of a token, about 1 kB per entry. */
const LIST_LIMIT = 32 * 1024 * 1024;
/** Maximum number of pages: a list that never ends is not an answer. */
const PAGE_LIMIT = 200;

type PastPage =
  | { readonly type: 'page'; readonly json: unknown }
  /** The service has no such list, or an unreadable one; the last page. */
  | { readonly type: 'unsupported' }
  /** The last page. */
  | Unavailable;

/** The address of a list, and how the token is passed. */
interface PastList {
  readonly path: readonly string[];
  readonly tokenIn: 'header' | 'query';
}

export async function* pastPages(
  access: PredictionsAccess,
  kind: Kind,
  signal: AbortSignal,
): AsyncGenerator<PastPage> {
  const type = TYPE_OF_KIND[kind];
  if (type === undefined) yield { type: 'unsupported' };
  else yield* pagesOf(access, { path: [type], tokenIn: 'header' }, signal);
}

/** The contract does not show its purpose and answer (4.8): entries with an id and a name are read. */
export function shiftChainPages(
  access: PredictionsAccess,
  signal: AbortSignal,
): AsyncGenerator<PastPage> {
  return pagesOf(access, { path: ['shiftcrypt', 'alignment'], tokenIn: 'query' }, signal);
}

async function* pagesOf(
  access: PredictionsAccess,
  { path, tokenIn }: PastList,
  signal: AbortSignal,
): AsyncGenerator<PastPage> {
  const url = access.api('past-results', ...path, '');
  const seen = new Set<string>();
  while (!seen.has(url.search) && seen.size < PAGE_LIMIT) {
    seen.add(url.search);
    const page = await pageAt(access, url, tokenIn, signal);
    yield page;
    const query = page.type === 'page' ? nextPage(page.json) : null;
    if (query === null) return;
    url.search = query;
    // A link that repeats the token is never stored, and our token is always sent.
    url.searchParams.delete('token');
  }
  yield unreadable(`${url.origin}${url.pathname}: the list of past results does not end`);
}

async function pageAt(
  access: PredictionsAccess,
  page: URL,
  tokenIn: PastList['tokenIn'],
  signal: AbortSignal,
): Promise<PastPage> {
  // `http.ts` shows origin and path of a URL, never its query.
  const url = new URL(page);
  if (tokenIn === 'query') url.searchParams.set('token', access.token);
  const headers: Record<string, string> =
    tokenIn === 'header' ? { 'x-service-token': access.token } : {};
  const answer = await access.http.send({ method: 'GET', url, headers, signal });
  if (!isAnswered(answer)) return connectionFailed(answer);
  // Not an empty list: without the list, it is unknown whether a job exists.
  if (answer.status === 404) {
    await answer.body.discard();
    return { type: 'unsupported' };
  }
  if (answer.status !== 200) return unavailable(answer);
  const body = await answer.body.text(LIST_LIMIT);
  if (body.type === 'broken') return unreadable(body.message);
  // It will not be shorter next time.
  if (body.type === 'tooLong' || complexity(body.text) !== null) return { type: 'unsupported' };
  const json = parseJson(body.text);
  if (json === undefined) return unreadable(`${answer.where}: the answer is not JSON`);
  return { type: 'page', json };
}

function unreadable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}
