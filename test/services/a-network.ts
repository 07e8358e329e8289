/** A proxy as companies have them, and a service behind TLS with a private CA. Both are real servers. */
import { readFileSync } from 'node:fs';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { listening, type Listening } from './scripted-server.ts';

const PEM = join(import.meta.dirname, 'certificates');
export const CA_FILE = join(PEM, 'ca.pem');

/** From now on this process trusts the private CA, as with NODE_EXTRA_CA_CERTS. */
export function trustPrivateCa(): void {
  setDefaultCACertificates([...getCACertificates(), readFileSync(CA_FILE, 'utf8')]);
}

const SERVER = {
  cert: readFileSync(join(PEM, 'service.pem'), 'utf8'),
  key: readFileSync(join(PEM, 'service-key.pem'), 'utf8'),
};

/** Names that only the proxy can resolve. */
export const SERVICE_HOST = 'service.test';

/** A service behind TLS, whose certificate is for `service.test` and 127.0.0.1. */
export async function tlsServer(answer: RequestListener): Promise<Listening> {
  return listening(createTlsServer(SERVER, answer));
}

/** A service that speaks http. */
export async function plainServer(answer: RequestListener): Promise<Listening> {
  return listening(createServer(answer));
}

interface ProxyOptions {
  /** The required `user:password`. */
  readonly login?: string;
  /** Answers each CONNECT with this status instead of connecting. */
  readonly refuseWith?: number;
  /** Accepts the CONNECT and closes the connection. */
  readonly hangsUp?: boolean;
  /** Accepts connections and never answers. */
  readonly isSilent?: boolean;
  /** Closes each tunnel after this many bytes of the client. */
  readonly breaksAfter?: number;
  readonly tls?: boolean;
}

interface ProxyServer extends Listening {
  /** The requests received: `CONNECT service.test:443`, `GET http://…`. */
  readonly asked: string[];
}

/** Resolves every name to 127.0.0.1. */
export async function proxyServer(options: ProxyOptions = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const listener: RequestListener = (incoming, response) => {
    asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    if (!admitted(incoming, options)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('<html>Log in</html>');
      return;
    }
    const { port, pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = { host: '127.0.0.1', port, path: pathname + search, method, headers };
    const request = forward(onward, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => undefined);
    });
    pipeline(incoming, request, () => undefined);
  };
  const server = options.tls ? createTlsServer(SERVER, listener) : createServer(listener);
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    asked.push(`CONNECT ${incoming.url ?? ''}`);
    tunnel(incoming, client, options);
  });
  return Object.assign(await listening(server), { asked });
}

function tunnel(incoming: IncomingMessage, client: Socket, options: ProxyOptions): void {
  client.on('error', () => undefined);
  if (options.hangsUp) return void client.destroy();
  if (options.isSilent) return;
  const status = admitted(incoming, options) ? options.refuseWith : 407;
  if (status !== undefined) {
    client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  const [, port] = (incoming.url ?? '').split(':');
  const upstream = connect(Number(port), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client);
    client.pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  let bytes = 0;
  client.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes < (options.breaksAfter ?? Infinity)) return;
    client.destroy();
    upstream.destroy();
  });
}

function admitted({ headers }: IncomingMessage, { login }: ProxyOptions): boolean {
  if (login === undefined) return true;
  return headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`;
}
