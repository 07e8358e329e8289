/**
 * A proxy between the runner and the local services that answers some requests itself, to simulate answers that a
 * service may give but the local ones never do. Real HTTP on both sides, and every request is recorded.
 */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Seen {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
  /** ms */
  readonly at: number;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** `half`: the connection is closed after half of the body; `whole`: it is reset without an answer. */
  readonly cut?: 'half' | 'whole';
}

/** An answer in place of the service's; null lets the request through. */
type Rule = (request: Seen) => Answer | null;

/** Changes the service's answer on its way back. */
export type Rewrite = (request: Seen, answer: Answer & { readonly body: string }) => Answer;

export class GoBetween {
  readonly url: string;
  readonly seen: Seen[] = [];
  rule: Rule = () => null;
  rewrite: Rewrite = (_, answer) => answer;
  /** Additional delay of the answer to a POST. */
  postDelayMs = 0;
  /** POSTs that have arrived and are not answered. */
  waiting = 0;
  /** POSTs whose client disconnected before the answer. */
  abandoned = 0;
  readonly #server;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param target the address that requests are passed on to */
  static async open(target: string): Promise<GoBetween> {
    let self: GoBetween | null = null;
    const server = createServer((incoming, response) => {
      // A client that disconnects is not an error here.
      if (self) void self.#pass(target, incoming, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (self = new GoBetween(server));
  }

  posts(): Seen[] {
    return this.seen.filter(({ method }) => method === 'POST');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #pass(target: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await collect(incoming);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const request = { method, path, body: bytes.toString(), at: Date.now() };
    this.seen.push(request);
    if (method === 'POST') {
      this.waiting += 1;
      response.once('close', () => {
        this.waiting -= 1;
        if (!response.writableEnded) this.abandoned += 1;
      });
    }
    const own = this.rule(request);
    if (own) {
      send(response, own);
      return;
    }
    const answer = await ask(new URL(path, target), method, headers, bytes);
    if (method === 'POST' && this.postDelayMs > 0) await delay(this.postDelayMs);
    send(response, this.rewrite(request, answer));
  }
}

async function collect(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function ask(
  url: URL,
  method: string,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Promise<Answer & { body: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { method, headers: { ...headers, host: url.host }, agent: false }, resolve)
      .on('error', reject)
      .end(body);
  });
  const text = (await collect(answer)).toString();
  const kept = Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name));
  return {
    status: answer.statusCode ?? 502,
    headers: Object.fromEntries(kept) as Record<string, string>,
    body: text,
  };
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function send(response: ServerResponse, answer: Answer): void {
  const { status, headers = {}, body = '', cut } = answer;
  if (cut === 'whole') {
    response.socket?.resetAndDestroy();
    return;
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...(typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
    ...headers,
    'content-length': Buffer.byteLength(text),
  });
  if (cut === 'half') {
    const half = Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2));
    response.write(half, () => setTimeout(() => response.socket?.destroy(), 20));
  } else response.end(text);
}
