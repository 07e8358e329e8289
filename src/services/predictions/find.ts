/** Looking a job up by its unique name in the past results of the token (contract 4.7). */
import type { Kind } from '../../domain/item.ts';
import type { FindOutcome } from '../../domain/outcomes.ts';
import { isUsableId } from '../../domain/remote-id.ts';
import { connectionFailed, isAnswered, unavailable } from '../availability.ts';
import type { CallOptions } from '../client.ts';
import { parseJson } from '../../results/json.ts';
import { complexity } from '../bounded-json.ts';
import type { PredictionsAccess } from './access.ts';
import { nextPage, searchPastResults } from './past-results.ts';

const TYPE_OF_KIND: Readonly<Partial<Record<Kind, string>>> = {
  sequence: 'single-sequence',
  alignment: 'msa',
  shifts: 'shiftcrypt',
};
/** Bytes: a token's whole past, about 1 kB an entry. */
const LIST_LIMIT = 32 * 1024 * 1024;
/** Pages at most: a list that never ends is no answer. */
const PAGE_LIMIT = 200;

export async function find(
  access: PredictionsAccess,
  kind: Kind,
  name: string,
  { signal }: CallOptions,
): Promise<FindOutcome> {
  const type = TYPE_OF_KIND[kind];
  if (type === undefined) return { type: 'unsupported' };
  const url = access.api('past-results', type, '');
  const seen = new Set<string>();
  const listed = { entries: 0, named: 0 };
  while (!seen.has(url.search) && seen.size < PAGE_LIMIT) {
    seen.add(url.search);
    const answer = await access.http.send({
      method: 'GET',
      url,
      headers: { 'x-service-token': access.token },
      signal,
    });
    if (!isAnswered(answer)) return connectionFailed(answer);
    // Not "absent": a service without this list cannot say that the job does not exist.
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
    const page = searchPastResults(json, name);
    if (page.remoteId !== null) {
      // The job is there, under an id that cannot be asked for: never "absent", which would send it again.
      if (!isUsableId(page.remoteId)) return { type: 'unsupported' };
      return { type: 'found', remoteId: page.remoteId };
    }
    listed.entries += page.entries;
    listed.named += page.named;
    const query = nextPage(json);
    if (query === null) {
      // A list that shows no names cannot say that one is not among them.
      const nameless = listed.entries > 0 && listed.named === 0;
      return { type: nameless ? 'unsupported' : 'absent' };
    }
    url.search = query;
  }
  return unreadable(`${url.origin}${url.pathname}: the list of past results does not end`);
}

function unreadable(message: string): FindOutcome {
  return { type: 'unavailable', message, retryAfterMs: null };
}
