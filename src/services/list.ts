/** Reads the list of the jobs of our credential, page by page, and looks a job up in it by its name. */
import { parseDuration } from '../domain/duration.ts';
import type { FindOutcome, ListOutcome, PastJob, Unavailable } from '../domain/outcomes.ts';
import { isUsableId } from '../domain/remote-id.ts';
import { answersFor, findMeaning, interpret, readAnswer } from './answers.ts';
import { connectionFailed, isAnswered, unavailable } from './answers.ts';
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

export async function findJob(
  asking: Asking,
  query: { readonly kind: string; readonly name: string },
): Promise<FindOutcome> {
  const { identity } = asking.service;
  if (identity.by === 'request')
    return { type: 'repeat', withinMs: parseDuration(identity.within) ?? 0 };
  if (identity.by === 'nothing') return { type: 'unsupported' };
  const listed = { jobs: 0, named: 0 };
  for await (const page of listPages(asking, query)) {
    if (page.type !== 'page') return page;
    const found = page.jobs.find(({ names }) => names.includes(query.name));
    // The job exists, but its id may be unusable. Not "absent", after which it would be submitted again.
    if (found)
      return isUsableId(found.id) ? { type: 'found', remoteId: found.id } : { type: 'unsupported' };
    listed.jobs += page.jobs.length;
    listed.named += page.jobs.filter(({ names }) => names.length > 0).length;
  }
  // A list without names cannot show that a name is missing.
  const isNameless = listed.jobs > 0 && listed.named === 0;
  if (isNameless) return { type: 'unsupported' };
  const settlesMs = identity.by === 'list' ? parseDuration(identity.settles) : null;
  return { type: 'absent', ...(settlesMs !== null && { settlesMs }) };
}

export async function listJobs(asking: Asking, kind: string): Promise<ListOutcome> {
  const { list, title } = asking.service;
  if ('missing' in list) return { type: 'unsupported', message: list.missing };
  // A list that grows while it is read may show a job on two pages.
  const jobs = new Map<string, PastJob>();
  for await (const page of listPages(asking, { kind, name: null })) {
    if (page.type === 'unavailable') return page;
    if (page.type === 'unsupported') {
      const message = `${title} does not list past results of the kind ${kind}`;
      return { type: 'unsupported', message };
    }
    for (const { id, names, ...job } of page.jobs)
      if (!jobs.has(id)) jobs.set(id, { kind, remoteId: id, ...job, jobName: names[0] ?? null });
  }
  return { type: 'listed', jobs: [...jobs.values()] };
}

/**
 * Ends after the first page that is none.
 * @param query `name`: only the job of this name is wanted
 */
async function* listPages(
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
    interpret('list', meaning, seen, { kind, config }) ??
    unreadable(`${answer.where}: the answer is not JSON`)
  );
}

export function unreadable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}
