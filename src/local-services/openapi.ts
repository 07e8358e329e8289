/**
 * The OpenAPI documents: each route carries its operation, made of the schemas that its handler checks with, and the
 * document of a service is what its routes say. People find it at `/docs/`, programs at `/docs/json`.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { ALWAYS } from './answers.ts';
import { originFor, prefixFor } from './behind-proxy.ts';
import type { Settings } from './options.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route takes and answers; a route without one is in no document. */
    operation?: ZodOpenApiOperationObject;
  }
}

export interface Described {
  /** Path that the service is mounted under, without a slash at the end. */
  readonly mount: string;
  readonly title: string;
  readonly description: string;
}

/** Registers `routes` as one service with a document of its own. */
export async function documented(
  app: FastifyInstance,
  settings: Settings,
  { mount, title, description }: Described,
  routes: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    const paths: ZodOpenApiPathsObject = {};
    const document: Record<string, unknown> = {};
    scope.addHook('onRoute', (route) => {
      collect(paths, mount, route);
    });
    await scope.register(swagger, {
      mode: 'static',
      specification: { document: document as never },
    });
    await scope.register(swaggerUi, {
      routePrefix: `${mount}/docs`,
      staticCSP: true,
      // The default upgrades to HTTPS and lets other hosts in: the page must work on a closed network.
      transformStaticCSP: () =>
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'",
      uiConfig: { docExpansion: 'list', tryItOutEnabled: true, validatorUrl: null },
      theme: { title },
      // Where the service is reached differs with the proxy that a request came through.
      transformSpecification: (specification, request) => ({
        ...specification,
        servers: [{ url: addressFor(request, settings, mount) }],
      }),
      transformSpecificationClone: false,
    });
    routes(scope);
    const info = { title, version: '1', description };
    Object.assign(document, createDocument({ openapi: '3.1.0', info, paths }));
  });
}

function addressFor(request: FastifyRequest, settings: Settings, mount: string): string {
  const address = originFor(request, settings) + prefixFor(request, settings) + mount;
  return address === '' ? '/' : address;
}

/** Fastify writes `:id` where OpenAPI writes `{id}`. */
function collect(paths: ZodOpenApiPathsObject, mount: string, route: RouteOptions): void {
  const operation = route.config?.operation;
  if (operation === undefined || route.method === 'HEAD') return;
  const path = route.url.slice(mount.length).replace(/:(\w+)/g, '{$1}');
  const responses = { ...ALWAYS, ...operation.responses };
  paths[path] = {
    ...paths[path],
    [String(route.method).toLowerCase()]: { ...operation, responses },
  };
}
