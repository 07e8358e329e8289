/** The HTTP side of both services: all routes, and their common parts. */
import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance } from 'fastify';
import { proxyOptions } from './behind-proxy.ts';
import {
  answerErrors,
  answerUnreadable,
  answerUnreadableAddress,
  refuseOtherMethods,
} from './error-answers.ts';
import { addFaultHooks } from './fault-hooks.ts';
import type { Faults, FaultRule } from './faults.ts';
import type { GatewayName, GatewayRule } from './gateway/personalities.ts';
import type { Trouble } from './gateway/trouble.ts';
import { refuseOtherNames } from './host-names.ts';
import { logOptions, logRequests } from './log.ts';
import type { Metrics } from './metrics.ts';
import { MOLECULES, PREDICTIONS } from './mounts.ts';
import { pageRoutes } from './molecules/pages.ts';
import { recordRoutes } from './molecules/records.ts';
import { submitRoute } from './molecules/submit.ts';
import { documented } from './openapi.ts';
import { downloadRoutes } from './predictions/downloads.ts';
import { PART_LIMIT } from './predictions/multipart.ts';
import { pastResultRoutes } from './predictions/past-results.ts';
import { resultRoutes } from './predictions/results.ts';
import { submitRoutes } from './predictions/submit.ts';
import { Refusal } from './refusal.ts';
import type { Services } from './services.ts';

/** Paths for controlling the services in tests; a misbehaving gateway still relays them. */
export const CONTROL = ['/_faults', '/_gateway'] as const;

/**
 * The server with all routes, not listening yet.
 *
 * @param gateway in front of it; null if there is none
 */
export async function buildApp(
  services: Services,
  metrics: Metrics,
  gateway: Trouble | null,
): Promise<FastifyInstance> {
  const { settings } = services;
  const { bodyLimit } = settings;
  const app = fastify({
    ...logOptions(settings),
    bodyLimit,
    ...proxyOptions(settings, gateway !== null),
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
  answerErrors(app, bodyLimit, [MOLECULES, '/docs']);
  logRequests(app);
  refuseOtherNames(app, settings.host);
  metrics.serve(app);
  addFaultHooks(app, services);
  const closeRoutes = refuseOtherMethods(app);
  await moleculeService(app, services);
  await predictionService(app, services);
  closeRoutes();
  if (settings.allowFaultControl) {
    faultControl(app, services.faults);
    if (gateway !== null) gatewayControl(app, gateway);
  }
  return app;
}

async function moleculeService(app: FastifyInstance, services: Services): Promise<void> {
  const described = {
    mount: MOLECULES,
    title: 'Molecule parameterisation',
    description:
      'Submit a molecule, poll its job, fetch force-field parameters and topologies. Numbers in brackets are the sections of the contract. Public jobs are listed at the root of the service.',
  };
  await documented(app, services.settings, described, (scope) => {
    submitRoute(scope, MOLECULES, services);
    recordRoutes(scope, MOLECULES, services);
    pageRoutes(scope, MOLECULES, services);
  });
}

async function predictionService(app: FastifyInstance, services: Services): Promise<void> {
  const base = PREDICTIONS[services.settings.variant];
  const described = {
    mount: '',
    title: 'Sequence, alignment and NMR-shift predictions',
    description:
      'Submit a sequence, an alignment or chemical shifts, poll the job, download its result. Numbers in brackets are the sections of the contract. Every path is written with its trailing slash.',
  };
  await documented(app, services.settings, described, (scope) => {
    submitRoutes(scope, base, services);
    resultRoutes(scope, base, services);
    downloadRoutes(scope, base, services);
    pastResultRoutes(scope, base, services);
  });
}

/** Fault control over HTTP, for tests of a separate process. */
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

/** The same for the personality of the gateway: a rule, or null for no rule. */
function gatewayControl(app: FastifyInstance, gateway: Trouble): void {
  app.get('/_gateway', () => gateway.state());
  app.put<{ Body: GatewayName | GatewayRule | null }>('/_gateway', (request) => {
    gateway.set(request.body);
    return gateway.state();
  });
  app.delete('/_gateway', () => {
    gateway.set(null);
    return gateway.state();
  });
}
