/** The HTTP side of both services: all routes, and their common parts. */
import multipart from '@fastify/multipart';
import fastify from 'fastify';
import { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import {
  answerErrors,
  answerUnreadable,
  answerUnreadableAddress,
  refuseOtherMethods,
} from './error-answers.ts';
import { addFaultHooks, FAULT_CONTROL } from './fault-hooks.ts';
import type { Faults, FaultRule } from './faults.ts';
import { pageRoutes } from './molecules/pages.ts';
import { recordRoutes } from './molecules/records.ts';
import { submitRoute } from './molecules/submit.ts';
import { PART_LIMIT } from './predictions/multipart.ts';
import { resultRoutes } from './predictions/results.ts';
import { submitRoutes } from './predictions/submit.ts';
import { Refusal } from './refusal.ts';
import { MOLECULES, PREDICTIONS, type Services } from './services.ts';
import { pino } from 'pino';
import type { Settings } from './options.ts';

/** The server with all routes, not listening yet. */
export async function buildApp(services: Services): Promise<FastifyInstance> {
  const { settings } = services;
  const { bodyLimit } = settings;
  const app = fastify({
    ...logOptions(settings),
    bodyLimit,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerUnreadable,
    frameworkErrors: answerUnreadableAddress,
  });
  // Bodies are JSON or multipart; Fastify would accept plain text too.
  app.removeContentTypeParser('text/plain');
  // A field may be as long as a file: the default would cut it at 1 MB without an error.
  await app.register(multipart, {
    limits: { fileSize: bodyLimit, fieldSize: bodyLimit, parts: PART_LIMIT },
  });
  answerErrors(app, bodyLimit, [MOLECULES]);
  logRequests(app);
  refuseOtherNames(app, settings.host);
  addFaultHooks(app, services);
  const closeRoutes = refuseOtherMethods(app);
  moleculeService(app, services);
  predictionService(app, services);
  closeRoutes();
  if (settings.allowFaultControl) faultControl(app, services.faults);
  return app;
}

function moleculeService(app: FastifyInstance, services: Services): void {
  submitRoute(app, MOLECULES, services);
  recordRoutes(app, MOLECULES, services);
  pageRoutes(app, MOLECULES, services);
}

function predictionService(app: FastifyInstance, services: Services): void {
  const base = PREDICTIONS[services.settings.variant];
  submitRoutes(app, base, services);
  resultRoutes(app, base, services);
}

/** Fault control over HTTP, for tests of a separate process. */
function faultControl(app: FastifyInstance, faults: Faults): void {
  app.get(FAULT_CONTROL, () => faults.list());
  app.put<{ Body: FaultRule[] }>(FAULT_CONTROL, (request) => {
    if (!Array.isArray(request.body)) throw new Refusal(400, 'The body must be an array of rules.');
    faults.set(request.body);
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

/** @param address that the services listen on */
function refuseOtherNames(app: FastifyInstance, address: string): void {
  if (!THIS_MACHINE.test(address)) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const name = (request.headers.host ?? '').replace(/:\d*$/, '');
    done(
      THIS_MACHINE.test(name)
        ? undefined
        : new Refusal(
            403,
            'These services are for this machine: ask 127.0.0.1 or localhost (Host).',
          ),
    );
  });
}

/**
 * The fields of requests and responses in Fastify's own log lines. Nothing lets a reader of the log read a result: no
 * token, no body, no query (it may contain the token: contract of the prediction service, 4.8), no id (4.4).
 */
const SERIALIZERS = {
  req: ({ method }: { readonly method?: string }) => ({ method }),
  res: ({ statusCode }: { readonly statusCode?: number }) => ({ statusCode }),
};

function logOptions({ log }: Settings): FastifyServerOptions {
  if (log === false) return { logger: false };
  const logger = log === true ? pino() : log;
  return {
    loggerInstance: logger.child({}, { serializers: SERIALIZERS }),
    // Its own lines contain the address with the query.
    logController: new LogController({ disableRequestLogging: true }),
  };
}

function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    await Promise.resolve();
    const { service, endpoint } = request.routeOptions.config;
    request.log.info(
      {
        service,
        endpoint,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    );
  });
}
