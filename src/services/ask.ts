/** Sends a GET that a definition describes. */
import type { Unavailable } from '../domain/outcomes.ts';
import { createConnectionFailed, isAnswered } from './answers.ts';
import type { HttpResponse } from './body.ts';
import type { Http } from './http.ts';
import { addressRequest, RequestFault, type Addressed, type Site } from './request.ts';
import type { Request, Service, ServiceConfig } from './service.ts';

/** What a request of a definition is sent with. */
export interface Asking {
  readonly service: Service;
  readonly config: ServiceConfig;
  readonly site: Site;
  readonly http: Http;
  readonly signal: AbortSignal;
}

/** The address of what a function of the definition describes. Throws RequestFault: the function may be wrong. */
export function describeRequest(
  site: Site,
  describe: () => Request,
): Addressed & { readonly request: Request } {
  try {
    const request = describe();
    return { ...addressRequest(site, request), request };
  } catch (error) {
    throw new RequestFault(error instanceof Error ? error.message : 'its definition failed');
  }
}

/** Throws RequestFault. */
export async function ask(
  asking: Asking,
  describe: () => Request,
  deadlineMs?: number,
): Promise<{ readonly response: HttpResponse; readonly url: URL } | Unavailable> {
  const { url, headers } = describeRequest(asking.site, describe);
  const { http, signal } = asking;
  const given = deadlineMs === undefined ? {} : { deadlineMs };
  const answer = await http.send({ method: 'GET', url, headers, signal, ...given });
  return isAnswered(answer) ? { response: answer, url } : createConnectionFailed(answer);
}
