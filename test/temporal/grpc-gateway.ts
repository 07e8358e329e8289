/**
 * A gateway in front of the suite's Temporal server, as in a cluster: TLS, client certificates, API keys, and forbidden
 * calls. HTTP/2 is relayed call by call.
 */
import {
  connect,
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';

/** A gRPC status and its message. */
export interface Refusal {
  readonly code: number;
  readonly details: string;
}

interface GatewayOptions {
  /** null or left out: plain text. */
  readonly tls?: TlsOptions | null;
  /** Called for each call; null lets it pass. */
  readonly refuse?: (method: string, headers: IncomingHttpHeaders) => Refusal | null;
}

export interface Gateway extends AsyncDisposable {
  readonly port: number;
  /** Serial numbers of client certificates, one for each connection. */
  readonly clients: string[];
}

const HOP = new Set([':path', ':method', ':scheme', ':authority', 'connection']);

/** @param upstream `host:port` of a server without TLS */
export async function startGateway(
  upstream: string,
  { tls = null, refuse = () => null }: GatewayOptions,
): Promise<Gateway> {
  const clients: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = tls ? createSecureServer({ ...tls, allowHTTP1: false }) : createServer();
  const target = connect(`http://${upstream}`);
  target.on('error', () => undefined);
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
    const socket = session.socket as unknown as {
      getPeerCertificate?: () => { serialNumber?: string };
    };
    const serial = socket.getPeerCertificate?.().serialNumber;
    if (serial !== undefined) clients.push(serial);
  });
  server.on('error', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    const method = String(headers[':path']).split('/').pop() ?? '';
    const refusal = refuse(method, headers);
    if (refusal) {
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': String(refusal.code),
          'grpc-message': encodeURIComponent(refusal.details),
        },
        { endStream: true },
      );
      return;
    }
    const rest = Object.entries(headers).filter(([name]) => !HOP.has(name));
    const call = target.request({
      ...Object.fromEntries(rest),
      ':path': String(headers[':path']),
      ':method': 'POST',
      ':scheme': 'http',
    });
    call.on('response', (answer, flags) => {
      const { ':status': status, ...others } = answer;
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (stream.destroyed) return;
      stream.respond(
        { ':status': Number(status), ...others },
        { waitForTrailers: !endStream, endStream },
      );
    });
    let trailers: IncomingHttpHeaders = {};
    call.on('trailers', (received) => (trailers = received));
    stream.on('wantTrailers', () => stream.sendTrailers({ ...trailers }));
    call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    stream.pipe(call);
    call.pipe(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    clients,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      target.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
