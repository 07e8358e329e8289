/** The listening socket, so that the fault `refuse` can close it and open it again on the same port. */
import type { Server } from 'node:http';

export class Listener {
  readonly #server: Server;
  readonly #host: string;
  readonly #port: number;
  #refusing = false;
  #reopen: NodeJS.Timeout | undefined;

  constructor(server: Server, host: string, port: number) {
    this.#server = server;
    this.#host = host;
    this.#port = port;
  }

  /** Refuses connections from now on, for `ms` or until `accept`. */
  refuse(ms: number | undefined): void {
    clearTimeout(this.#reopen);
    if (!this.#refusing) {
      this.#refusing = true;
      this.#server.close();
      this.#server.closeAllConnections();
    }
    if (ms !== undefined) {
      this.#reopen = setTimeout(() => {
        this.accept();
      }, ms);
    }
  }

  accept(): void {
    clearTimeout(this.#reopen);
    if (!this.#refusing) return;
    this.#refusing = false;
    this.#server.listen(this.#port, this.#host);
  }

  /** Cancels planned changes: the server is being closed. */
  stop(): void {
    clearTimeout(this.#reopen);
  }
}
