/** The HTTP side of both services: routes, error answers, log lines. */
import multipart from '@fastify/multipart';
import fastify, { LogController, type FastifyInstance } from 'fastify';
import { addFaultHooks } from './fault-hooks.ts';
import type { Faults, FaultRule } from './faults.ts';
import { recordRoutes } from './molecules/records.ts';
import { submitRoute } from './molecules/submit.ts';
import { downloadRoutes } from './predictions/downloads.ts';
import { pastResultRoutes } from './predictions/past-results.ts';
import { resultRoutes } from './predictions/results.ts';
import { submitRoutes } from './predictions/submit.ts';
import { Refusal } from './refusal.ts';
import type { Services } from './services.ts';

/** Where the molecule service is mounted: `{mol_base_url}` is the server's address and this. */
export const MOLECULES = '/acpype';
/** Where the prediction service is, by variant (contract, head and 9.1). */
const PREDICTIONS = {
  current: '/online_predictors/api',
  earlier: '/online-predictors/api',
} as const;
/** Largest body, in bytes; no limit is shown in the contracts. */
const BODY_LIMIT = 20 * 1024 * 1024;

/** The server with every route, not listening yet. */
export async function buildApp(services: Services): Promise<FastifyInstance> {
  const { log, variant, allowFaultControl } = services.settings;
  const app = fastify({
    ...(typeof log === 'boolean' ? { logger: log } : { loggerInstance: log }),
    // Its lines carry the address with the query, and one endpoint has the token there (contract 4.8).
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: 'idle',
  });
  // Bodies are JSON or multipart; Fastify would take plain text too.
  app.removeContentTypeParser('text/plain');
  await app.register(multipart, { limits: { fileSize: BODY_LIMIT } });
  answerErrors(app);
  logRequests(app);
  addFaultHooks(app, services);
  submitRoute(app, MOLECULES, services);
  recordRoutes(app, MOLECULES, services);
  const base = PREDICTIONS[variant];
  submitRoutes(app, base, services);
  resultRoutes(app, base, services);
  downloadRoutes(app, base, services);
  pastResultRoutes(app, base, services);
  if (allowFaultControl) faultControl(app, services.faults);
  return app;
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof Refusal) {
      return await reply.code(error.status).headers(error.headers).send(error.body);
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) app.log.error({ err: error }, 'a request broke');
    return await reply
      .code(status)
      .send({ error: status >= 500 ? 'Internal error' : error.message });
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    // A redirect would lose the body of a POST (contract of the prediction service, 1.6).
    const hint =
      path.endsWith('/') || path.startsWith(MOLECULES)
        ? ''
        : ' Every path must be written with its trailing slash.';
    return await reply
      .code(404)
      .send({ error: `No such endpoint: ${request.method} ${path}.${hint}` });
  });
}

/** Method, route pattern and status alone: an id is all that reading a result takes (contract 4.4). */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    await Promise.resolve();
    const { method, url } = request.routeOptions;
    request.log.info({
      method,
      route: url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });
}

/** Faults over HTTP, for tests of a separate process. */
function faultControl(app: FastifyInstance, faults: Faults): void {
  app.get('/_faults', () => faults.list());
  app.put<{ Body: FaultRule[] }>('/_faults', (request) => {
    if (!Array.isArray(request.body)) throw new Refusal(400, 'The body must be an array of rules.');
    faults.set(request.body);
    return faults.list();
  });
  app.delete('/_faults', () => {
    faults.clear();
    return faults.list();
  });
}
