/**
 * A codec server: the web UI and the CLI of Temporal use it to decrypt what they show, and to encrypt what is typed.
 * The protocol is Temporal's: POST /encode and /decode with `{payloads: [{metadata, data}]}`, both in base64.
 *
 * It requires no login and listens on a loopback address, for the user of the machine. Rejected: a token, which the
 * Temporal UI can send only with an OAuth set-up.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import type { CodecKeys } from '../config/codec.ts';
import { isLocalHost } from '../domain/local-host.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { EncryptionCodec } from './codec.ts';

interface CodecServerOptions {
  readonly keys: CodecKeys;
  /** `http://localhost:8233`: only pages of this origin may read the answers. */
  readonly uiOrigin: string;
  readonly port: number;
  /** Address to listen on; on a loopback address, requests must name a loopback host. */
  readonly host: string;
}

interface CodecServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A history page of Temporal is 4 MB at most; base64 adds a third. */
const BODY_LIMIT = 16 * 1024 * 1024;

const body = z.object({
  payloads: z
    .array(
      z.object({
        metadata: z.record(z.string(), z.base64()).default({}),
        data: z.base64().default(''),
      }),
    )
    .default([]),
});

/** Throws CODEC_SERVER_PORT when the port is taken. */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { keys, port, host } = options;
  const server = fastify({ bodyLimit: BODY_LIMIT });
  const codec = new EncryptionCodec(keys);
  server.addHook('onRequest', (request, reply, done) => {
    if (isLocalHost(bracketed(host)) && !isLocalHost(nameOf(request.headers.host ?? ''))) {
      // A page whose own name resolves to this machine (DNS rebinding) does not send a loopback name.
      void reply.code(403).send({ message: 'use a name of this machine for this server' });
      return;
    }
    allow(options.uiOrigin, request, reply);
    done();
  });
  addRoute(server, '/encode', (payloads) => codec.encode(payloads));
  addRoute(server, '/decode', (payloads) => codec.decode(payloads));
  try {
    return { url: await server.listen({ port, host }), close: () => server.close() };
  } catch (cause) {
    throw codedError(
      'CODEC_SERVER_PORT',
      { host, port, reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    );
  }
}

/** Without the header a browser hides the answer from the page; a page of another origin does not get the header. */
function allow(uiOrigin: string, { headers }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('vary', 'Origin');
  if (headers.origin !== uiOrigin) return;
  void reply.headers({
    'access-control-allow-origin': uiOrigin,
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'content-type, x-namespace, authorization',
    'access-control-allow-credentials': 'true',
    'access-control-allow-private-network': 'true',
  });
}

function addRoute(
  server: FastifyInstance,
  path: string,
  convert: (payloads: Payload[]) => Promise<Payload[]>,
): void {
  server.options(path, (_, reply) => reply.code(204).send());
  server.post(path, async (request, reply) => {
    const asked = body.safeParse(request.body);
    if (!asked.success) return reply.code(400).send({ message: 'expected {"payloads": […]}' });
    try {
      return { payloads: (await convert(asked.data.payloads.map(fromJson))).map(toJson) };
    } catch (error) {
      if (!(error instanceof HundredfoldError)) throw error;
      const { code, message, remedy } = error;
      return reply.code(422).send({ code, message: `${message}. ${remedy}` });
    }
  });
}

interface JsonPayload {
  readonly metadata: Record<string, string>;
  readonly data: string;
}

function fromJson({ metadata, data }: JsonPayload): Payload {
  const entries = Object.entries(metadata).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64'),
  ]);
  return {
    metadata: Object.fromEntries(entries) as Record<string, Buffer>,
    data: Buffer.from(data, 'base64'),
  };
}

function toJson({ metadata, data }: Payload): JsonPayload {
  const base64 = (bytes: Uint8Array | null | undefined): string =>
    Buffer.from(bytes ?? []).toString('base64');
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [key, base64(value)]);
  return { metadata: Object.fromEntries(entries) as Record<string, string>, data: base64(data) };
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** `::1` is in brackets in a Host header. */
function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
