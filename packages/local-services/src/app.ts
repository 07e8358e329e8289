/** The HTTP side of both services: all routes, and their common parts. */
import multipart from '@fastify/multipart';
import fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerOptions,
} from 'fastify';
import type { Services } from './admission.ts';
import { addFaultHooks, FAULT_CONTROL } from './fault-hooks.ts';
import type { Faults, FaultRule } from './faults.ts';
import { PART_LIMIT } from './form.ts';
import { addMoleculeRoutes, MOLECULES } from './molecules.ts';
import type { Settings } from './options.ts';
import { addPredictionRoutes } from './predictions.ts';
import { BODY_LIMIT, Refusal, refuseLargeBody } from './refusal.ts';

/** Of a request that cannot be read: nothing of it is repeated or logged, because it may contain a token. */
const UNREADABLE = { error: 'The request cannot be read.' };

/** The server with all routes, not listening yet. */
export async function buildApp(services: Services): Promise<FastifyInstance> {
  const { settings, faults } = services;
  const app = fastify({
    ...logOptions(settings),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: 'idle',
    clientErrorHandler: (_error, socket) =>
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${JSON.stringify(UNREADABLE)}`,
      ),
    frameworkErrors: (_error, _request, reply: FastifyReply) =>
      void reply.code(400).send(UNREADABLE),
  });
  // Bodies are JSON or multipart; Fastify would accept plain text too.
  app.removeContentTypeParser('text/plain');
  // A field may be as long as a file: the default would cut it at 1 MB without an error.
  await app.register(multipart, {
    limits: { fileSize: BODY_LIMIT, fieldSize: BODY_LIMIT, parts: PART_LIMIT },
  });
  handleErrors(app);
  logRequests(app);
  if (THIS_MACHINE.test(settings.host)) refuseOtherNames(app);
  addFaultHooks(app, services);
  addMoleculeRoutes(app, services);
  addPredictionRoutes(app, services);
  if (settings.allowFaultControl) addFaultControl(app, faults);
  return app;
}

/** Every response without a handler is an object with `error`. */
function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error: FastifyError | Refusal, request, reply) => {
    const refusal = error instanceof Refusal ? error : toRefusal(error);
    if (refusal.status === 500) request.log.error({ err: error }, 'a request broke');
    return await reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  });
  app.setNotFoundHandler(async ({ url, method }, reply) => {
    const path = url.split('?')[0] ?? '';
    // A redirect would lose the body of a POST (contract of the prediction service, 1.6).
    const isSlashMissing = !path.endsWith('/') && !path.startsWith(MOLECULES);
    const hint = isSlashMissing ? ' Every path must be written with its trailing slash.' : '';
    return await reply.code(404).send({ error: `No such endpoint: ${method} ${path}.${hint}` });
  });
}

/** Errors of the framework as refusals, with better messages if its own are not helpful. */
function toRefusal({ statusCode: status = 500, message }: FastifyError): Refusal {
  if (status >= 500) return new Refusal(status, 'Internal error');
  if (status === 413) return refuseLargeBody();
  const types = 'The body must be application/json or multipart/form-data.';
  return new Refusal(status, status === 415 ? types : message);
}

/** Fault control over HTTP, for tests of a separate process. */
function addFaultControl(app: FastifyInstance, faults: Faults): void {
  app.get(FAULT_CONTROL, () => faults.list());
  app.put<{ Body: FaultRule[] }>(FAULT_CONTROL, ({ body }) => {
    if (!Array.isArray(body)) throw new Refusal(400, 'The body must be an array of rules.');
    faults.set(body);
    return faults.list();
  });
  app.delete(FAULT_CONTROL, () => {
    faults.clear();
    return faults.list();
  });
}

/**
 * A web page can resolve its own name to 127.0.0.1 (DNS rebinding) and then read what listens there. Its name is still
 * in the Host header. Services that listen on a network have names that we do not know.
 */
const THIS_MACHINE = /^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/;

function refuseOtherNames(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    if (THIS_MACHINE.test((headers.host ?? '').replace(/:\d*$/, ''))) return;
    const words = 'These services are for this machine: ask 127.0.0.1 or localhost (Host).';
    throw new Refusal(403, words);
  });
}

/** Fastify's own lines contain the address with the query. */
const logController = new LogController({ disableRequestLogging: true });

function logOptions({ log }: Settings): FastifyServerOptions {
  return log === false ? { logger: false } : { loggerInstance: log, logController };
}

/**
 * Nothing lets a reader of the log read a result: no token, no body, no query (it may contain the token: contract of the
 * prediction service, 4.8), no id (4.4).
 */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async ({ routeOptions, method, log }, { statusCode, elapsedTime }) => {
    const { service, endpoint } = routeOptions.config;
    const ms = Math.round(elapsedTime);
    log.info(
      { service, endpoint, method, route: routeOptions.url, status: statusCode, ms },
      'answered',
    );
  });
}
