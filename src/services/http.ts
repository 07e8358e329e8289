/**
 * A thin layer over undici. It answers the question that at-most-once submission depends on: did a failed request leave
 * this machine or not? (docs/promises.md, "Submit is at most once")
 *
 * undici calls `onRequestStart` when a request has a connected socket, right before its first byte is written. A
 * failure before that call (name not found, refused, TLS, waiting for a free connection) certainly did not reach the
 * service; any failure after it may have. This also covers errors that no list of codes includes. A proxy's own refusal
 * is the one exception: it has forwarded nothing (connection.ts).
 */
import { type Dispatcher, request as undiciRequest } from 'undici';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/campaign.ts';
import {
  readFailureCode,
  describeFailure,
  readCode,
  createDispatcher,
  type Network,
  findProxyRefusal,
  USER_AGENT,
} from './connection.ts';
import { type RedactedStream, Redaction } from './redaction.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_OUTSTANDING } from '../budget/state.ts';

/** @param seen the announced or received size */
export function createTooLarge(where: string, seen: string, max: number) {
  return new HundredfoldError(
    'RESULT_TOO_LARGE',
    `${where}: ${seen}, and ${max} are allowed.`,
    'Contact the service operators: the largest known result is a hundredth of that.',
  );
}

export interface HttpResponse {
  readonly type: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly body: HttpBody;
  /** Method and address without the query: safe to show in a message. */
  readonly where: string;
}

export interface HttpFailure {
  /** `unreached`: not a byte was written. `broken`: written, outcome unknown. */
  readonly type: 'unreached' | 'broken';
  /** undici's or the system's code, or `DEADLINE`, `ABORTED`. */
  readonly code: string;
  /** For people; never a header, a body or a query. */
  readonly message: string;
}

export type HttpAnswer = HttpResponse | HttpFailure;

/** Maximum bytes of a JSON answer if the contract promises a small object. */
export const SMALL_JSON_LIMIT = 1024 * 1024;
/** Bytes after which an unwanted body is cut off instead of read to its end. */
const DISCARD_LIMIT = 128 * 1024;

export type BodyText =
  | { readonly type: 'whole'; readonly text: string }
  /** Cut off at the limit; `text` is its beginning. */
  | { readonly type: 'tooLong'; readonly text: string; readonly message: string }
  /** The connection ended first. */
  | { readonly type: 'broken'; readonly message: string };

interface HttpBody {
  /** Reads the body as UTF-8, at most `limit` bytes. */
  text(limit: number): Promise<BodyText>;
  /**
   * The bytes as they arrive. Ends with a HundredfoldError: `DOWNLOAD_BROKEN` when the connection ends first,
   * `RESULT_TOO_LARGE` when there are more bytes than the bound allows.
   */
  stream(maxBytes: number): RedactedStream;
  /** Reads a small rest to its end, so that the connection can be reused, or closes the connection. */
  discard(): Promise<void>;
}

function openBody(
  body: Dispatcher.ResponseData['body'],
  where: string,
  redaction: Redaction,
): HttpBody {
  // A body that is destroyed before it has a listener (deadline, close) must not crash the process.
  body.on('error', () => undefined);
  return {
    text: (limit) => readText(body, where, redaction, limit),
    stream: (bound) => redaction.stream(streamBody(body, where, bound)),
    discard: async () => {
      // The status is sufficient: how the rest of the body ends does not matter.
      await body.dump({ limit: DISCARD_LIMIT }).catch(() => undefined);
    },
  };
}

async function readText(
  body: AsyncIterable<Uint8Array>,
  where: string,
  redaction: Redaction,
  limit: number,
): Promise<BodyText> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const text = (): string => {
    const bytes = Buffer.concat(chunks);
    redaction.bytes(bytes);
    return new TextDecoder().decode(bytes);
  };
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > limit) {
        const message = `${where}: the answer is longer than ${limit} bytes`;
        return { type: 'tooLong', text: text().slice(0, limit), message };
      }
    }
  } catch (error) {
    return { type: 'broken', message: `${where}: ${describeFailure(readFailureCode(error))}` };
  }
  return { type: 'whole', text: text() };
}

async function* streamBody(
  body: AsyncIterable<Uint8Array>,
  where: string,
  max: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > max) throw createTooLarge(where, `${bytes} bytes came so far`, max);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof HundredfoldError) throw error;
    throw new HundredfoldError(
      'DOWNLOAD_BROKEN',
      `${where}: ${describeFailure(readFailureCode(error))}`,
      'The download is retried automatically; incomplete files are not kept.',
    );
  }
}

/** Code of a submission whose connection came too late. */
const TOO_LATE = 'TOO_LATE';
/** Connections for reading, per service: a few, because the services are shared (contract section 8). */
export const READING_CONNECTIONS = 8;
/** Milliseconds for one request, from its call to the last byte of the answer. */
const DEFAULT_DEADLINE_MS = 30_000;
/** Connecting is aborted after this many milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface HttpSettings {
  /** Milliseconds for one request. */
  readonly deadlineMs?: number | undefined;
  /** Between any two requests (ms); default: 0. */
  readonly betweenMs?: number | undefined;
  /** Proxy, CA and gateway; default: a direct connection. */
  readonly network?: Network | undefined;
}

/** Required: every client must know the secrets that it has to redact. */
interface HttpIdentity {
  readonly service: ServiceName;
  /** Secrets that no answer may bring into a file, a log or an error. */
  readonly secrets: readonly string[];
}

interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly contentType: string; readonly bytes: Uint8Array } | undefined;
  /** The caller's signal: it or the deadline, whichever comes first, ends the request. */
  readonly signal: AbortSignal;
  /** Called when it has its connection, just before its first byte; false: it is not sent. */
  readonly mayBegin?: (() => boolean) | undefined;
  /** Milliseconds, if the usual deadline does not fit: a long download. */
  readonly deadlineMs?: number;
}

export interface Http {
  /** Milliseconds for one request. */
  readonly deadlineMs: number;
  /** Until a GET that is sent now has its turn (ms). */
  waitMs(): number;
  /**
   * Sends once and never throws because of the network or the service. Redirects are not followed. Headers and body are
   * returned without secrets.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Aborts reading, lets submissions finish. */
  close(): Promise<void>;
}

export function createHttp(settings: HttpSettings & HttpIdentity): Http {
  const deadlineMs = settings.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const { network = {} } = settings;
  const common = {
    connectTimeout: Math.min(CONNECT_TIMEOUT_MS, deadlineMs),
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
  };
  const reading = createDispatcher(network, { ...common, connections: READING_CONNECTIONS });
  // A separate connection for each POST: the service may close a kept-alive one as idle at the moment of writing, and
  // the outcome would be unknown for no reason. Costs one handshake per 36 s of budget.
  const connections = MAX_OUTSTANDING;
  const submitting = createDispatcher(network, { ...common, connections, pipelining: 0 });

  const redaction = new Redaction([...settings.secrets, ...(network.secrets ?? [])]);
  const sending = { deadlineMs, redaction, network };
  const turns = new Turns(settings.betweenMs ?? 0);

  return {
    deadlineMs,
    waitMs: () => turns.waitMs,
    send: async (request) => {
      const waitMs = turns.take();
      // The time of a submission is the budget's: it takes a turn and does not wait for one.
      if (request.method === 'POST') return send(submitting, request, sending);
      const { signal } = request;
      if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
      return send(reading, request, sending);
    },
    close: async () => {
      await Promise.all([reading.destroy(), submitting.close()]);
    },
  };
}

/** Requests follow each other no closer than the service allows. */
class Turns {
  readonly #betweenMs: number;
  #nextAt = 0;

  constructor(betweenMs: number) {
    this.#betweenMs = betweenMs;
  }

  get waitMs(): number {
    return Math.max(0, this.#nextAt - performance.now());
  }

  /** Returns how long it is until the turn (ms). */
  take(): number {
    const { waitMs } = this;
    this.#nextAt = performance.now() + waitMs + this.#betweenMs;
    return waitMs;
  }
}

interface Sending {
  /** Milliseconds, if the request has no deadline of its own. */
  readonly deadlineMs: number;
  readonly redaction: Redaction;
  readonly network: Network;
}

async function send(
  agent: Dispatcher,
  request: HttpRequest,
  { deadlineMs, redaction, network }: Sending,
): Promise<HttpAnswer> {
  const where = `${request.method} ${request.url.origin}${request.url.pathname}`;
  const { signal, release } = withDeadline(request.signal, request.deadlineMs ?? deadlineMs);
  const watch = { written: false };
  // undici notices an abort only once a request has a connection: this ends one that still waits for one.
  const waiting = Promise.withResolvers<never>();
  const stopWaiting = () => {
    if (!watch.written) waiting.reject(signal.reason as Error);
  };
  signal.addEventListener('abort', stopWaiting);
  try {
    signal.throwIfAborted();
    const response = await Promise.race([
      undiciRequest(request.url, {
        method: request.method,
        headers: buildHeaders(request, network),
        body: request.body?.bytes ?? null,
        signal,
        dispatcher: agent.compose(watchWrites(watch, signal, request.mayBegin)),
      }),
      waiting.promise,
    ]);
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of [value ?? []].flat()) headers.append(name, redaction.text(one));
    }
    // The deadline includes the body.
    response.body.once('close', release);
    const body = openBody(response.body, where, redaction);
    return { type: 'answered', status: response.statusCode, headers, body, where };
  } catch (error) {
    release();
    const code = readCode(error);
    const through = network.proxy ? ` (through the proxy ${network.proxy.name})` : '';
    const message = `${where}: ${describeFailure(code, watch.written)}${through}`;
    const reached = watch.written && findProxyRefusal(error) === null;
    return { type: reached ? 'broken' : 'unreached', code, message };
  } finally {
    signal.removeEventListener('abort', stopWaiting);
  }
}

/**
 * Aborted at a deadline, or with the caller's signal; `release` frees the memory of both.
 *
 * Rejected: `AbortSignal.timeout` and `AbortSignal.any`. Node keeps such a signal, and everything that its listeners
 * refer to, until its time has passed: every download of the last five minutes stayed in memory.
 */
function withDeadline(caller: AbortSignal, deadlineMs: number) {
  const controller = new AbortController();
  const follow = () => controller.abort(caller.reason);
  const timer = setTimeout(() => {
    // The same error as that of `AbortSignal.timeout`.
    controller.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  }, deadlineMs).unref();
  if (caller.aborted) follow();
  caller.addEventListener('abort', follow, { once: true });
  const release = () => {
    clearTimeout(timer);
    caller.removeEventListener('abort', follow);
  };
  return { signal: controller.signal, release };
}

function buildHeaders(request: HttpRequest, { headers }: Network): Record<string, string> {
  return {
    ...headers,
    accept: 'application/json, */*;q=0.5',
    // The bytes are stored as received: request them uncompressed.
    'accept-encoding': 'identity',
    'user-agent': USER_AGENT,
    ...(request.body ? { 'content-type': request.body.contentType } : {}),
    ...request.headers,
  };
}

/** Records the moment at which a request gets its socket. The handler belongs to this one request. */
function watchWrites(
  watch: { written: boolean },
  signal: AbortSignal,
  mayBegin: (() => boolean) | undefined,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const started = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context: unknown) => {
      if (signal.aborted) {
        // The caller already has its outcome: no byte of it may be sent now.
        controller.abort(new Error('aborted'));
        return;
      }
      if (mayBegin?.() === false) {
        controller.abort(Object.assign(new Error(TOO_LATE), { code: TOO_LATE }));
        return;
      }
      watch.written = true;
      started?.(controller, context);
    };
    return dispatch(options, handler);
  };
}
