/**
 * A proxy in front of the Temporal UI. The UI of the dev server answers any Host header and accepts any POST: a web
 * page in the user's browser could read and terminate workflows, by DNS rebinding or by a plain form. So the UI listens
 * on an address that a page cannot guess, and the user opens this proxy, which only forwards requests of the UI's own
 * pages.
 *
 * Rejected: `--ui-public-path` with a secret (tried: the API answers without the path, and `/` redirects to it); a
 * secret in the link with a cookie (another local user reaches gRPC without either); gRPC on a Unix socket or with TLS
 * (start-dev offers neither).
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { HundredfoldError } from '../../domain/errors.ts';

export interface UiGuard {
  /** `http://127.0.0.1:PORT`, for the user's browser. */
  readonly url: string;
  close(): Promise<void>;
}

/** No page of another site may show the UI in a frame and make the user click there unknowingly. */
const NO_FRAMES = { 'x-frame-options': 'SAMEORIGIN', 'referrer-policy': 'same-origin' };

/**
 * Listens on the first preferred port that is free, or on any.
 * @param target the UI itself, read for each request: it may be restarted at another address
 */
export async function startUiGuard(
  target: () => string | null,
  ...wished: readonly number[]
): Promise<UiGuard> {
  const server = createServer((asked, answer) => {
    const { port } = server.address() as { port: number };
    const why = findRefusal(asked, port);
    const ui = target();
    if (why !== null) refuse(answer, 403, why);
    else if (ui === null) refuse(answer, 502, 'The Temporal UI is not running.');
    else passOn(asked, answer, ui);
  });
  for (const port of [...wished, 0]) {
    if (!(await tryListen(server, port))) continue;
    const { port: got } = server.address() as { port: number };
    return { url: `http://127.0.0.1:${got}`, close: () => close(server) };
  }
  throw new HundredfoldError(
    'UI_UNAVAILABLE',
    'this machine has no free port for the Temporal UI',
    'End programs that listen on 127.0.0.1, then run the same command again.',
  );
}

type Server = ReturnType<typeof createServer>;

function tryListen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const failed = () => resolve(false);
    server.once('error', failed);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Why a request does not come from the UI's own pages or from a link that the user followed; null when it does. */
function findRefusal(
  { method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  port: number,
): string | null {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!names.includes(headers.host ?? '')) {
    return 'This is not the address of the Temporal UI (Host).';
  }
  const { origin } = headers;
  if (origin !== undefined && !names.includes(origin.replace(/^http:\/\//, ''))) {
    return 'The request comes from a page of another site (Origin).';
  }
  // Only browsers send it, and no page can change it. `same-site` is another port of this machine.
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site === 'none' || site === 'same-origin') return null;
  const followsLink =
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document';
  return followsLink ? null : 'The request comes from a page of another site (Sec-Fetch-Site).';
}

function refuse(answer: ServerResponse, status: number, why: string): void {
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  answer.end(`${why}\n`);
}

/** Headers for one connection only (RFC 9110, 7.6.1); `host` is replaced, and the UI itself allows no other site. */
const NOT_PASSED = /^(host|connection|keep-alive|upgrade|te|trailer|transfer-encoding|proxy-.*)$/;
const NOT_RETURNED =
  /^(connection|keep-alive|upgrade|trailer|transfer-encoding|access-control-.*)$/;

function passOn(asked: IncomingMessage, answer: ServerResponse, ui: string): void {
  const url = new URL(ui);
  const { method, url: path } = asked;
  const headers = removeHeaders(asked.headers, NOT_PASSED);
  const sent = request({ hostname: url.hostname, port: url.port, method, path, headers });
  sent.on('response', (got) => {
    answer.writeHead(got.statusCode ?? 502, {
      ...removeHeaders(got.headers, NOT_RETURNED),
      ...NO_FRAMES,
    });
    pipeline(got, answer, () => undefined);
  });
  sent.on('error', () => {
    if (answer.headersSent) answer.destroy();
    else refuse(answer, 502, 'The Temporal UI does not answer.');
  });
  answer.on('close', () => sent.destroy());
  asked.pipe(sent);
}

function removeHeaders(
  headers: IncomingMessage['headers'],
  left: RegExp,
): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.test(name)));
}
