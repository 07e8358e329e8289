/** A network that can be cut: a TCP proxy on this machine, in front of a service or of Temporal. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * `pass`: bytes flow.
 * `reset`: every connection is reset, new ones as soon as they are made.
 * `hang`: connections stay, new ones are accepted, nothing flows; what was sent meanwhile flows once it passes again.
 * `half-open`: what is sent arrives, and no answer comes back. The answers are lost for good: once it passes again,
 * such a connection is reset, as by a peer that has forgotten it.
 */
export type ProxyMode = 'pass' | 'reset' | 'hang' | 'half-open';

export interface Proxy {
  /** On 127.0.0.1. */
  readonly port: number;
  set(mode: ProxyMode): void;
  /** Connections that were opened so far. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * @param targetPort on 127.0.0.1; may start listening later
 * @param see called with all that clients send, as it arrives
 */
export async function startProxy(
  targetPort: number,
  see: (bytes: Buffer) => void = () => undefined,
): Promise<Proxy> {
  const links = new Set<Link>();
  let mode: ProxyMode = 'pass';
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const link = new Link(client, connect(targetPort, '127.0.0.1'));
    links.add(link);
    client.once('close', () => links.delete(link));
    link.set(mode);
    client.on('data', see);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next;
      for (const link of [...links]) link.set(next);
    },
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const link of [...links]) link.reset();
      }),
  };
}

/** One connection, from end to end. */
class Link {
  readonly #client: Socket;
  readonly #target: Socket;
  #mode: ProxyMode = 'pass';

  constructor(client: Socket, target: Socket) {
    this.#client = client;
    this.#target = target;
    this.#carry(client, target, () => true);
    this.#carry(target, client, () => this.#mode !== 'half-open');
  }

  set(mode: ProxyMode): void {
    const wasDeaf = this.#mode === 'half-open';
    this.#mode = mode;
    if (mode === 'reset' || (wasDeaf && mode !== 'half-open')) return this.reset();
    for (const socket of [this.#client, this.#target]) {
      if (mode === 'hang') socket.pause();
      else socket.resume();
    }
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#target.resetAndDestroy();
  }

  #carry(from: Socket, to: Socket, passes: () => boolean): void {
    from.on('data', (bytes: Buffer) => {
      if (passes()) to.write(bytes);
    });
    from.on('end', () => {
      if (passes()) to.end();
    });
    // A peer that has gone causes a reset, as without a proxy in between.
    from.on('error', () => this.reset());
  }
}
