/** Answers that no handler gives: errors, unknown paths, wrong methods. Every one is an object with `error`. */
import type { FastifyError, FastifyInstance, HTTPMethods } from 'fastify';
import { Refusal } from './refusal.ts';

/** What the framework refuses by itself, where its own words would not help. */
function words(error: FastifyError, bodyLimit: number): string {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return `The body is too large: at most ${String(Math.floor(bodyLimit / 1024))} KiB are taken.`;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'The body must be application/json or multipart/form-data.';
    default:
      return error.message;
  }
}

export function answerErrors(
  app: FastifyInstance,
  bodyLimit: number,
  mounts: readonly string[],
): void {
  app.setErrorHandler(async (error: FastifyError | Refusal, _request, reply) => {
    if (error instanceof Refusal) {
      return await reply.code(error.status).headers(error.headers).send(error.body);
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) app.log.error({ err: error }, 'a request broke');
    return await reply
      .code(status)
      .send({ error: status >= 500 ? 'Internal error' : words(error, bodyLimit) });
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

const METHODS: readonly HTTPMethods[] = [
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
];

/** 405 with `Allow` for the other methods of every route that is registered by `routes` (RFC 9110, 15.5.6). */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.operation === undefined) return;
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  return () => {
    for (const [url, methods] of known) {
      const allow = [...methods].sort().join(', ');
      const refuse = (): never => {
        throw new Refusal(405, `This path answers ${allow}.`, {}, { Allow: allow });
      };
      const others = METHODS.filter((method) => !methods.has(method));
      // Before the body is read: there is nothing that it could be checked against.
      app.route({ method: others, url, onRequest: refuse, handler: refuse });
    }
  };
}
