/**
 * Checks whether a service is available, before a submission to a service that was down: if jobs have no names, the
 * fate of a POST to a proxy that answers 502 would be unknown.
 */
import type { PingOutcome } from '../domain/outcomes.ts';
import { connectionFailed, isAnswered, refusesUs, unavailable } from './availability.ts';
import type { RequestOptions } from './client.ts';
import type { Http } from './http.ts';

/** The id of no job at either service: a UUID without dashes is also alphanumeric. */
export const NO_JOB = '00000000000000000000000000000000';

/** @param url of a job that does not exist: 404 is the right answer, and most other 4xx show that a server is there */
export async function ping(http: Http, url: URL, { signal }: RequestOptions): Promise<PingOutcome> {
  const answer = await http.send({ method: 'GET', url, signal });
  if (!isAnswered(answer)) return connectionFailed(answer);
  const { status } = answer;
  if (status >= 500 || status === 429 || refusesUs(answer)) return unavailable(answer);
  await answer.body.discard();
  return { type: 'well' };
}
