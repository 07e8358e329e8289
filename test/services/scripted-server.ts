/** Real servers that answer as a test says, down to the single socket. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import {
  createServer as createNetServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';

export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Connections that were opened. */
  readonly connections: () => number;
}

export interface ScriptedServer extends Listening {
  /** Requests that arrived completely, in their order. */
  readonly requests: SeenRequest[];
}

/** Answers each request after it has arrived completely. */
export async function httpServer(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const server = createHttpServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(request);
      answer(request, response);
    });
  });
  return Object.assign(await listening(server), { requests });
}

/** Passes on the raw sockets. `requests` stays empty. */
export async function netServer(onSocket: (socket: Socket) => void): Promise<ScriptedServer> {
  return Object.assign(await listening(createNetServer(onSocket)), { requests: [] });
}

/** A server that sends this text to the first bytes of a request and then does `after` to the socket. */
export async function rawServer(
  text: string,
  after: (socket: Socket) => void,
): Promise<ScriptedServer> {
  return netServer((socket) => {
    socket.once('data', () => {
      if (text === '') after(socket);
      else socket.write(text, () => setTimeout(() => after(socket), 20));
    });
  });
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An address where nothing listens: a port that was free a moment ago. */
export async function deadUrl(): Promise<string> {
  const server = await netServer(() => undefined);
  await server[Symbol.asyncDispose]();
  return server.url;
}

/** At a free port. Its connections end with it. */
export async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
