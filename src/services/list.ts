/** Reads the list of the jobs of our credential, page by page. */
import type { Unavailable } from '../domain/outcomes.ts';
import { answersFor, findMeaning, interpret, readAnswer } from './answers.ts';
import { connectionFailed, isAnswered, unavailable } from './availability.ts';
import type { Http } from './http.ts';
import { addressRequest, RequestFault, type Addressed, type Site } from './request.ts';
import type { Answers, ListMeaning, Meaning, Request, Service, ServiceConfig } from './service.ts';

/** Maximum number of pages: a list that never ends is not an answer. */
const MAX_PAGES = 200;
/** Bytes of a page, unless the service says otherwise. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** What a request of a definition is sent with. */
export interface Asking {
  readonly service: Service;
  readonly config: ServiceConfig;
  readonly site: Site;
  readonly http: Http;
  readonly signal: AbortSignal;
}

type Page = ListMeaning | Unavailable;
interface Subject {
  readonly kind: string;
  readonly config: ServiceConfig;
}

/**
 * Ends after the first page that is none.
 * @param query `name`: only the job of this name is wanted
 */
export async function* listPages(
  asking: Asking,
  query: { readonly kind: string; readonly name: string | null },
): AsyncGenerator<Page> {
  const { list } = asking.service;
  const seen = new Set<string>();
  let request = 'missing' in list ? null : list.request(query, asking.config);
  if (request === null) yield { type: 'unsupported' };
  while (request !== null) {
    const order = addressed(asking.site, request);
    if (order instanceof RequestFault) {
      yield unreadable(order.message);
      return;
    }
    const { origin, pathname, href } = order.url;
    if (seen.has(href) || seen.size >= MAX_PAGES) {
      yield unreadable(`${origin}${pathname}: the list of past results does not end`);
      return;
    }
    seen.add(href);
    const page = await readPage(asking, order, query.kind);
    yield page;
    request = page.type === 'page' ? page.next : null;
  }
}

function addressed(site: Site, request: Request): Addressed | RequestFault {
  try {
    return addressRequest(site, request);
  } catch (error) {
    if (error instanceof RequestFault) return error;
    throw error;
  }
}

async function readPage(
  { service: { list }, config, http, signal }: Asking,
  order: Addressed,
  kind: string,
): Promise<Page> {
  if ('missing' in list) return { type: 'unsupported' };
  const answer = await http.send({ method: 'GET', ...order, signal });
  if (!isAnswered(answer)) return connectionFailed(answer);
  const answers: Answers<ListMeaning, Subject> = answersFor(list.answers, config);
  const meaning = findMeaning<Meaning<ListMeaning, Subject>>(
    { 404: { type: 'unsupported' }, ...answers },
    answer.status,
  );
  if (meaning === undefined) return unavailable(answer);
  const body = await answer.body.text(list.maxBytes ?? PAGE_BYTES);
  if (body.type === 'broken') return unreadable(body.message);
  const seen = readAnswer(answer, order.url, body);
  // It will not be shorter or simpler next time.
  if (seen.isTooLarge) return { type: 'unsupported' };
  return (
    interpret(meaning, seen, { kind, config }) ??
    unreadable(`${answer.where}: the answer is not JSON`)
  );
}

export function unreadable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}
