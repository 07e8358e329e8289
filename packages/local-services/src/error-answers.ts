/** Responses without a handler: errors, unknown paths, wrong methods. Each is an object with `error`. */
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, tooLarge } from './refusal.ts';

/** Errors of the framework as refusals, with better messages if its own are not helpful. */
function refusalOf(error: FastifyError, bodyLimit: number): Refusal {
  const status = error.statusCode ?? 500;
  if (status >= 500) return new Refusal(status, 'Internal error');
  if (status === 413) return tooLarge(bodyLimit);
  if (status === 415) {
    return new Refusal(415, 'The body must be application/json or multipart/form-data.');
  }
  return new Refusal(status, error.message);
}

export function answerErrors(
  app: FastifyInstance,
  bodyLimit: number,
  mounts: readonly string[],
): void {
  app.setErrorHandler(async (error: FastifyError | Refusal, request, reply) => {
    const refusal = error instanceof Refusal ? error : refusalOf(error, bodyLimit);
    if (refusal.status === 500) request.log.error({ err: error }, 'a request broke');
    return await reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    // A redirect would lose the body of a POST (contract of the prediction service, 1.6).
    const hint =
      path.endsWith('/') || mounts.some((mount) => path.startsWith(mount))
        ? ''
        : ' Every path must be written with its trailing slash.';
    return await reply
      .code(404)
      .send({ error: `No such endpoint: ${request.method} ${path}.${hint}` });
  });
}

/** Status and message for errors of Node's parser, by code. */
const UNREADABLE: Readonly<Record<string, readonly [status: string, error: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
};

/** Responds to an unparsable request. Nothing of it is logged: it may contain a token. */
export function answerUnreadable(error: { readonly code: string }, socket: Duplex): void {
  if (!socket.writable) return;
  const [status, words] = UNREADABLE[error.code] ?? [
    '400 Bad Request',
    'The request cannot be read as HTTP.',
  ];
  const body = JSON.stringify({ error: words });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${String(body.length)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** An address that cannot be decoded. Its text may contain a token, and is not repeated. */
export function answerUnreadableAddress(
  _error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  void reply.code(400).send({ error: 'The address of the request cannot be read.' });
}

/**
 * 405 with `Allow` for the other methods of every route that is registered until the returned function is called
 * (RFC 9110, 15.5.6).
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  let closed = false;
  app.addHook('onRoute', ({ url, method }) => {
    if (closed) return;
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  return () => {
    closed = true;
    for (const [url, methods] of known) {
      const allow = [...methods].sort().join(', ');
      const refuse = (): never => {
        throw new Refusal(405, `This path answers ${allow}.`, {}, { Allow: allow });
      };
      const others = app.supportedMethods.filter((method) => !methods.has(method));
      // Before the body is parsed: there is no schema for it.
      app.route({ method: others, url, onRequest: refuse, handler: refuse });
    }
  };
}
