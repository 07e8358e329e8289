/** The embedded server of a host: started or taken over, restarted when it dies, stopped with the host. */
import { ensureTemporalCli } from '../cli.ts';
import {
  isRunning,
  isServerAlive,
  createPortError,
  parsePort,
  startDevServer,
  stopDevServer,
  type DevServer,
} from '../dev-server.ts';
import { freePort, findHiddenPlace, isAlive, killNow } from '../machine.ts';
import { readRecord, writeRecord, type ServerRecord } from './folder.ts';
import { isSetBack, setAsideAfterStep } from './clock.ts';
import { warn } from '../../program.ts';
import { startUiGuard, type UiGuard } from './ui-guard.ts';

const SET_ASIDE = (name: string): string =>
  `the clock was set back since Temporal's database was written: it was set aside as ${name}, and a new one was created. ` +
  'Open campaigns continue when their "hundredfold run" command is run again.';

const POLL_INTERVAL_MS = 1_000;
const UI_PORT = 8233;

export class ServerKeeper {
  readonly #dir: string;
  #server: ServerRecord | null = null;
  #guard: UiGuard | null = null;
  #watch: NodeJS.Timeout | null = null;
  #reviving: Promise<unknown> | null = null;
  /** Ends the server whenever this process ends. Only kill -9 leaves a server behind, which the next host finds. */
  readonly #abandon = (): void => {
    if (this.#server) killNow(this.#server.pid);
  };

  /** @param dir folder whose lock the caller holds */
  constructor(dir: string) {
    this.#dir = dir;
    process.on('exit', this.#abandon);
  }

  /** The server that a killed host left behind, or a new one on the same database. */
  async begin(): Promise<ServerRecord> {
    const server = await this.#findOrStart();
    // Worker and clients keep retrying its address: it only has to be back soon.
    this.#watch = setInterval(() => {
      // The reason why it does not start is in its log; we retry as long as this process runs.
      if (this.#server && !isAlive(this.#server.pid)) this.revive().catch(() => undefined);
    }, POLL_INTERVAL_MS);
    this.#watch.unref();
    return server;
  }

  async #findOrStart(): Promise<ServerRecord> {
    const left = readRecord(this.#dir, 'server');
    if (left && !isSetBack(this.#dir) && (await isRunning(left))) {
      this.#server = { ...left, ui: await this.#guardedUi(left) };
      writeRecord(this.#dir, 'server', this.#server);
      return this.#server;
    }
    if (left && isServerAlive(left)) await stopDevServer(left);
    const aside = setAsideAfterStep(this.#dir);
    if (aside !== null) warn(SET_ASIDE(aside));
    return this.#start(left);
  }

  /** When the server has died: starts another one at the same address. Throws TEMPORAL_NOT_STARTED. */
  async revive(): Promise<void> {
    if (this.#server && (await isRunning(this.#server))) return;
    this.#reviving ??= this.#restart().finally(() => {
      this.#reviving = null;
    });
    await this.#reviving;
  }

  async #restart(): Promise<void> {
    const port = parsePort(this.#server?.address ?? '');
    if ((await freePort(port)) !== port) throw createPortError(port);
    await this.#findOrStart();
  }

  /** @param killAfterMs how long the server may take to end by itself */
  async end(killAfterMs?: number): Promise<void> {
    if (this.#watch) clearInterval(this.#watch);
    await this.#reviving?.catch(() => undefined);
    await this.#guard?.close();
    this.#guard = null;
    process.off('exit', this.#abandon);
    if (!this.#server) return;
    await stopDevServer(this.#server, killAfterMs);
    try {
      // The record stays, for its ports: links to the UI keep working after the next start.
      writeRecord(this.#dir, 'server', { ...this.#server, pid: 0 });
    } catch {
      // The disk is full: the former record names a process that has ended, which the next start notices.
    }
  }

  async #start(former: ServerRecord | null): Promise<ServerRecord> {
    const executable = await ensureTemporalCli(writeStderr);
    const guarded = await this.#guardedUi(former);
    const port = former ? { port: parsePort(former.address) } : {};
    const record = (server: DevServer) => ({ ...server, ui: guarded, uiBehind: server.ui });
    const options = { executable, dir: this.#dir, ...port, ui: await findHiddenPlace() };
    const started = await startDevServer(options, (server) => {
      this.#server = record(server);
      // Recorded before it is healthy: if this process is killed here, the next host still finds it.
      writeRecord(this.#dir, 'server', this.#server);
    });
    return record(started);
  }

  /** The address of the UI for the user, on its former port if that is free. */
  async #guardedUi(former: ServerRecord | null): Promise<string> {
    const known = former?.ui ? [parsePort(new URL(former.ui).host)] : [];
    this.#guard ??= await startUiGuard(
      () => this.#server && this.#server.uiBehind,
      ...known,
      UI_PORT,
    );
    return this.#guard.url;
  }
}

function writeStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
