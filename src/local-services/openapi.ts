/**
 * The OpenAPI documents: each route has its operation, made from the schemas of its handler, and the document of a
 * service is the sum of its routes. The page is at `/docs/`, the document at `/docs/json`.
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
    /** The route's requests and responses; a route without it is in no document. */
    operation?: ZodOpenApiOperationObject;
  }
}

interface Described {
  /** Path that the service is mounted under, without a trailing slash. */
  readonly mount: string;
  readonly title: string;
  readonly description: string;
}

/** Registers `routes` as one service with its own document. */
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
      // The default upgrades to HTTPS and allows other hosts: the page must work in a closed network.
      transformStaticCSP: () =>
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'",
      uiConfig: { docExpansion: 'list', tryItOutEnabled: true, validatorUrl: null },
      theme: { title },
      // The service's address depends on the proxy of a request.
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

/** Fastify writes `:id` for OpenAPI's `{id}`. */
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
