/**
 * HTTP endpoint of a worker for operators and schedulers: `/metrics` for Prometheus, `/healthz` (the process answers)
 * and `/readyz` (it accepts work). It shows no secrets and accepts no input.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errnoOf } from '../domain/errno.ts';
import { codedError } from '../domain/errors.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

interface Answers {
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Why the worker accepts no work now; null when it accepts work. */
  readonly notReady: () => Promise<string | null>;
}

export interface Endpoint {
  /** `http://HOST:PORT` */
  readonly url: string;
  close(): Promise<void>;
}

/** Version 0.0.4 of the text format. */
const METRICS = 'text/plain; version=0.0.4; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** @throws HundredfoldError `METRICS_PORT` when it cannot listen there. */
export async function openEndpoint(place: ListenAddress, answers: Answers): Promise<Endpoint> {
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (!isRead) {
      send(response, 405);
      return;
    }
    answer(path, answers, response).catch((error: unknown) => {
      send(response, 500, `${error instanceof Error ? error.message : String(error)}\n`);
    });
  });
  await listen(server, place);
  const { port } = server.address() as AddressInfo;
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  return { url: `http://${host}:${port}`, close: () => close(server) };
}

async function answer(path: string, answers: Answers, response: ServerResponse): Promise<void> {
  if (path === '/metrics') {
    send(response, 200, await answers.metrics(), METRICS);
  } else if (path === '/healthz') {
    send(response, 200, 'ok\n');
  } else if (path === '/readyz') {
    const why = await answers.notReady();
    send(response, why === null ? 200 : 503, `${why ?? 'ready'}\n`);
  } else {
    send(response, 404, 'there is /metrics, /healthz and /readyz\n');
  }
}

function send(response: ServerResponse, status: number, body = '', type = TEXT): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}

async function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (cause) {
    const code = errnoOf(cause) ?? 'unknown';
    throw codedError('METRICS_PORT', { host, port, code }, cause);
  }
  server.unref();
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
