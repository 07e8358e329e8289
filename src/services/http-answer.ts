/** The outcome of a request. */
import type { HttpBody } from './http-body.ts';

export interface HttpResponse {
  readonly type: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly body: HttpBody;
  /** Method and address without the query: safe to show in a message. */
  readonly where: string;
}

export interface HttpFailure {
  /** `unreached`: not a byte was written. `broken`: written, fate unknown. */
  readonly type: 'unreached' | 'broken';
  /** undici's or the system's code, or `DEADLINE`, `ABORTED`. */
  readonly code: string;
  /** For people; never a header, a body or a query. */
  readonly message: string;
}

export type HttpAnswer = HttpResponse | HttpFailure;
