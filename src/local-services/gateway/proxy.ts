/**
 * The gateway: a reverse proxy in front of both services, which relays every request unchanged until a fault is set. A
 * connection error behind it (a reset, a truncated response, silence) is reproduced in front of it, so that the faults
 * of `faults.ts` look the same with and without it.
 */
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerUnreadable } from '../error-answers.ts';
import type { GatewayJournal } from './journal.ts';
import type { GatewayRequest } from './personalities.ts';
import type { Trouble } from './trouble.ts';

/** Valid for one connection only (RFC 9110, 7.6.1); Node writes those of the other connection itself. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];

interface GatewayParts {
  readonly trouble: Trouble;
  readonly journal: GatewayJournal;
  readonly now: () => number;
  /** The port of the services on 127.0.0.1, known once they listen. */
  readonly servicesPort: () => number;
  /** Whether a path is the molecule service's. */
  readonly isMolecules: (path: string) => boolean;
  /** Whether X-Forwarded headers of the client are passed on. */
  readonly trustProxy: boolean;
  /** Paths that are always relayed: those for controlling the services in tests. */
  readonly control: readonly string[];
}

/** The server of the gateway, not listening yet. */
export function gatewayServer(parts: GatewayParts): Server {
  const server = createServer((request, response) => {
    void handle(request, response, parts);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    answerUnreadable({ code: error.code ?? '' }, socket);
  });
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  parts: GatewayParts,
): Promise<void> {
  const { trouble, control } = parts;
  const asked: GatewayRequest = {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    host: request.headers.host ?? '',
  };
  const path = asked.url.split('?')[0] ?? '';
  const rule = trouble.state().rule;
  const treatment = control.includes(path) ? { holdMs: 0 } : trouble.treat(asked);
  if ('holdMs' in treatment || rule === null) {
    relay(request, response, parts, 'holdMs' in treatment ? treatment.holdMs : 0);
    return;
  }
  const { status, headers, body } = treatment.answer;
  parts.journal.record({
    at: parts.now(),
    name: rule.name,
    method: asked.method,
    path,
    status,
    service: parts.isMolecules(path) ? 'molecules' : 'predictions',
  });
  request.resume();
  response.writeHead(status, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
  response.end(body);
}

function relay(
  request: IncomingMessage,
  response: ServerResponse,
  { servicesPort, trustProxy }: GatewayParts,
  holdMs: number,
): void {
  const { method, url: path, socket } = request;
  const given = endToEnd(request.headers);
  // The services count by network address: it must be the client's, not ours.
  const address = socket.remoteAddress ?? '';
  const headers = trustProxy
    ? { ...given, 'x-forwarded-for': [given['x-forwarded-for'] ?? [], address].flat().join(', ') }
    : { ...withoutForwarded(given), 'x-forwarded-for': address };
  const sent = httpRequest({
    host: '127.0.0.1',
    port: servicesPort(),
    method,
    path,
    headers,
    agent: false,
  });
  sent.on('response', (answer) => {
    void giveBack(answer, response, holdMs);
  });
  sent.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' && !response.headersSent) badGateway(response);
    else socket.resetAndDestroy();
  });
  response.on('close', () => {
    if (!response.writableFinished) sent.destroy();
  });
  request.pipe(sent);
}

async function giveBack(
  answer: IncomingMessage,
  response: ServerResponse,
  holdMs: number,
): Promise<void> {
  answer.on('error', () => {
    response.destroy();
  });
  if (holdMs > 0) await sleep(holdMs);
  if (response.destroyed) return;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
  answer.pipe(response);
}

function badGateway(response: ServerResponse): void {
  const body =
    '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>';
  response.writeHead(502, { 'Content-Type': 'text/html', 'Content-Length': String(body.length) });
  response.end(body);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

function withoutForwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('x-forwarded-')),
  );
}
