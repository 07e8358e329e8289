/**
 * Log lines: one per request, structured, without anything that would let a reader of the log read or list results. No
 * token, no body, no address with its query (the query of one endpoint contains the token: contract of the prediction
 * service, 4.8), and no id, because an id is enough to read a result (4.4).
 */
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { LogController } from 'fastify';
import { pino } from 'pino';
import type { Settings } from './options.ts';

/** The fields of requests and responses in Fastify's own log lines. */
const SERIALIZERS = {
  req: ({ method }: { readonly method?: string }) => ({ method }),
  res: ({ statusCode }: { readonly statusCode?: number }) => ({ statusCode }),
};

export function logOptions({ log }: Settings): FastifyServerOptions {
  if (log === false) return { logger: false };
  const logger = log === true ? pino() : log;
  return {
    loggerInstance: logger.child({}, { serializers: SERIALIZERS }),
    // Its own lines contain the address with the query.
    logController: new LogController({ disableRequestLogging: true }),
  };
}

export function logRequests(app: FastifyInstance): void {
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
