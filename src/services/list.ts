/** Reads the list of the jobs of our credential, page by page, and looks a job up in it by its name. */
import { parseDuration } from '../domain/units.ts';
import type { FindOutcome, ListOutcome, PastJob, Unavailable } from '../domain/outcomes.ts';
import { isUsableId } from '../domain/name.ts';
import {
  resolveAnswers,
  findMeaning,
  interpret,
  readAnswer,
  discardAsUnavailable,
  createUnavailable,
} from './answers.ts';
import { ask, type Asking } from './request.ts';
import type { Answers, ListMeaning, Meaning, Request, ServiceConfig } from './service.ts';

/** Maximum number of pages: a list that never ends is not an answer. */
const MAX_PAGES = 200;
/** Bytes of a page, unless the service says otherwise. */
const PAGE_BYTES = 8 * 1024 * 1024;

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
    const key = JSON.stringify(request);
    if (seen.has(key) || seen.size >= MAX_PAGES) {
      yield createUnavailable('the list of past results does not end');
      return;
    }
    seen.add(key);
    const page = await readPage(asking, request, query.kind);
    yield page;
    request = page.type === 'page' ? page.next : null;
  }
}

async function readPage(asking: Asking, request: Request, kind: string): Promise<Page> {
  const { config, service } = asking;
  const { list } = service;
  if ('missing' in list) return { type: 'unsupported' };
  const reply = await ask(asking, () => request);
  if ('type' in reply) return reply;
  const { response, url } = reply;
  const answers: Answers<ListMeaning, Subject> = {
    404: { type: 'unsupported' },
    ...resolveAnswers(list.answers, config),
  };
  const meaning = findMeaning<Meaning<ListMeaning, Subject>>(answers, response.status);
  if (meaning === undefined) return discardAsUnavailable(response);
  const body = await response.body.text(list.maxBytes ?? PAGE_BYTES);
  if (body.type === 'broken') return createUnavailable(body.message);
  const answer = readAnswer(response, url, body);
  // It will not be shorter or simpler next time.
  if (answer.isTooLarge) return { type: 'unsupported' };
  const said = interpret('list', meaning, answer, { kind, config });
  return said ?? createUnavailable(`${response.where}: the answer is not JSON`);
}
