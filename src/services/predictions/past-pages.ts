/**
 * The past results of the token, page by page: for one prediction type (contract 4.7), and chains of shifts (4.8).
 * Reading ends with the loop of the caller.
 */
import type { Kind } from '../../domain/item.ts';
import type { Unavailable } from '../../domain/outcomes.ts';
import { parseJson } from '../../results/json.ts';
import { connectionFailed, isAnswered, unavailable } from '../availability.ts';
import { complexity } from '../bounded-json.ts';
import type { HttpBody } from '../http-body.ts';
import type { PredictionsAccess } from './access.ts';
import { nextPage } from './past-results.ts';

const TYPE_OF_KIND: Readonly<Partial<Record<Kind, string>>> = {
  sequence: 'single-sequence',
  alignment: 'msa',
  shifts: 'shiftcrypt',
};
/** Bytes of a page: a list of 100,000 jobs has some 90 MB, and grows by 100 jobs an hour. */
const PAGE_BYTES = 128 * 1024 * 1024;
/** Maximum number of pages: a list that never ends is not an answer. */
const PAGE_LIMIT = 200;

type PastPage =
  | { readonly type: 'page'; readonly json: unknown }
  /** The service has no such list, or an unreadable one; the last. */
  | { readonly type: 'unsupported' }
  /** The last. */
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
    const query = yield* pageAt(access, url, tokenIn, signal);
    if (query === null) return;
    url.search = query;
    // A link that repeats the token is never stored, and our token is always sent.
    url.searchParams.delete('token');
  }
  yield unreadable(`${url.origin}${url.pathname}: the list of past results does not end`);
}

/** Returns the query of the next page; null after the last one. */
async function* pageAt(
  access: PredictionsAccess,
  page: URL,
  tokenIn: PastList['tokenIn'],
  signal: AbortSignal,
): AsyncGenerator<PastPage, string | null> {
  // `http.ts` shows origin and path of a URL, never its query.
  const url = new URL(page);
  if (tokenIn === 'query') url.searchParams.set('token', access.token);
  const headers: Record<string, string> =
    tokenIn === 'header' ? { 'x-service-token': access.token } : {};
  const answer = await access.http.send({ method: 'GET', url, headers, signal });
  if (!isAnswered(answer)) {
    yield connectionFailed(answer);
    return null;
  }
  if (answer.status === 200) {
    const read = await readPage(answer.body, answer.where);
    yield read;
    return read.type === 'page' ? nextPage(read.json) : null;
  }
  if (answer.status !== 404) {
    yield await unavailable(answer);
    return null;
  }
  await answer.body.discard();
  // Not an empty list: without the list, it is unknown whether a job exists.
  yield { type: 'unsupported' };
  return null;
}

async function readPage(body: HttpBody, where: string): Promise<PastPage> {
  const answer = await body.text(PAGE_BYTES);
  if (answer.type === 'broken') return unreadable(answer.message);
  // It will not be shorter or simpler next time.
  if (answer.type === 'tooLong' || complexity(answer.text) !== null) return { type: 'unsupported' };
  const json = parseJson(answer.text);
  return json === undefined
    ? unreadable(`${where}: the answer is not JSON`)
    : { type: 'page', json };
}

function unreadable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}
