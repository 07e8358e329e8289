/** The containers of docker-compose.yml, with their own project name, ports, tokens and volumes. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { Journal, type JournalEntry } from '../../packages/local-services/src/journal.ts';
import { freePort } from '../../src/temporal/machine.ts';
import type { Window } from '../../src/budget/policy.ts';
import { podman, started, type Ended } from './engine.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** The user of the image. */
const USER = 1000;
const POLL_INTERVAL_MS = 500;

export type ServiceName = 'postgresql' | 'temporal' | 'temporal-ui' | 'services' | 'worker';

interface CompositionOptions {
  /** podman-compose. */
  readonly program: string;
  readonly limits: Window;
  readonly jobMs: number;
}

export class Composition {
  readonly tokens = { molecules: secret(10), predictions: secret(24) };
  /** Manifests in it are at /night. */
  readonly night: string;
  readonly #folder: string;
  readonly #project: string;
  readonly #program: string;
  readonly #environment: NodeJS.ProcessEnv;

  static async open(options: CompositionOptions): Promise<Composition> {
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    return new Composition(options, ports);
  }

  private constructor(
    { program, limits, jobMs }: CompositionOptions,
    [temporal, ui, services]: readonly [number, number, number],
  ) {
    this.#program = program;
    this.#folder = mkdtempSync(join(tmpdir(), 'hundredfold-compose-'));
    chmodSync(this.#folder, 0o755);
    this.#project = `hundredfold-test-${process.pid}`;
    this.night = join(this.#folder, 'night');
    mkdirSync(this.night);
    const config = join(this.#folder, 'hundredfold.yaml');
    writeFileSync(config, stringify(configuration(limits)));
    writeFileSync(join(this.#folder, 'quick.yml'), stringify(quick(limits, jobMs, config)));
    this.#environment = {
      ...process.env,
      POSTGRES_PASSWORD: secret(16),
      TEMPORAL_PORT: String(temporal),
      TEMPORAL_UI_PORT: String(ui),
      SERVICES_PORT: String(services),
      MOLECULES_TOKEN_FILE: this.#tokenFile('molecules', 0o600),
      PREDICTIONS_TOKEN_FILE: this.#tokenFile('predictions', 0o644),
    };
  }

  /** The user of the image must be able to read it. */
  #tokenFile(service: 'molecules' | 'predictions', mode: number): string {
    const path = join(this.#folder, `${service}.token`);
    writeFileSync(path, `${this.tokens[service]}\n`, { mode });
    chownSync(path, USER, USER);
    return path;
  }

  async #compose(...args: readonly string[]): Promise<Ended> {
    const files = [join(ROOT, 'docker-compose.yml'), join(this.#folder, 'quick.yml')];
    const words = ['-p', this.#project, ...files.flatMap((file) => ['-f', file]), ...args];
    const ended = await started(this.#program, words, this.#environment);
    // 3: a campaign has ended, with items that failed or are held.
    if (ended.code !== 0 && ended.code !== 3)
      throw new Error(`podman-compose ${args.join(' ')}:\n${ended.stderr}`);
    return ended;
  }

  /** Without --requires, with which Podman 4.3 loses containers: each waits for others itself, or is restarted. */
  async up(): Promise<void> {
    await this.#compose('up', '--detach', '--no-deps');
    await this.healthy();
  }

  async down(): Promise<void> {
    await this.#compose('down');
  }

  /** The health checks of the file, which systemd would run; both containers that run and exit; and the UI. */
  async healthy(): Promise<void> {
    const checked = ['postgresql', 'temporal', 'services', 'worker'].map((name) =>
      this.#until(`${name} is healthy`, async () => {
        const { code } = await podman('healthcheck', 'run', this.#name(name));
        return code === 0;
      }),
    );
    const ended = ['temporal-schema', 'temporal-namespace'].map((name) =>
      this.#until(`${name} has ended with 0`, async () => {
        const { stdout } = await this.#state(name, '{{.State.Status}} {{.State.ExitCode}}');
        return stdout.trim() === 'exited 0';
      }),
    );
    const shown = this.#until('the UI shows what Temporal has', () => this.#uiShowsNamespace());
    await Promise.all([...checked, ...ended, shown]);
  }

  /** The UI asks the server: its page alone would not show the connection. */
  async #uiShowsNamespace(): Promise<boolean> {
    const url = `http://127.0.0.1:${this.#environment['TEMPORAL_UI_PORT'] ?? ''}/api/v1/namespaces/default`;
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok !== true) return false;
    const { namespaceInfo } = (await answer.json()) as { namespaceInfo?: { name?: string } };
    return namespaceInfo?.name === 'default';
  }

  /** Like a crash, and not `podman kill`, which counts as a stop: the restart policy restarts it. */
  async crash(service: ServiceName): Promise<void> {
    const { stdout } = await this.#state(service, '{{.State.Pid}}');
    const pid = Number(stdout);
    if (!(pid > 1)) throw new Error(`${service} does not run`);
    process.kill(pid, 'SIGKILL');
    await this.#until(`${service} is back`, async () => {
      const now = await this.#state(service, '{{.State.Status}} {{.State.Pid}}');
      return now.stdout.startsWith('running') && !now.stdout.includes(` ${pid}\n`);
    });
  }

  /** Returns its exit code. */
  async stop(service: ServiceName): Promise<number> {
    await this.#compose('stop', service);
    const { stdout } = await this.#state(service, '{{.State.ExitCode}}');
    return Number(stdout);
  }

  /** `hundredfold` in a separate container beside the worker, as in docs/containers.md. */
  async type(...args: readonly string[]): Promise<Ended> {
    const run = ['run', '--no-deps', '--rm', '-T', '--volume', `${this.night}:/night:ro`, 'worker'];
    return this.#compose(...run, ...args);
  }

  /** Of each container. */
  async logs(): Promise<Readonly<Record<string, string>>> {
    const names = ['--filter', this.#label, '--format', '{{.Names}}'];
    const { stdout } = await podman('ps', '--all', ...names);
    const texts: Record<string, string> = {};
    for (const name of stdout.split('\n').filter(Boolean)) {
      const log = await podman('logs', name);
      texts[name] = `${log.stdout}${log.stderr}`;
    }
    return texts;
  }

  /** The path of a volume on this machine. */
  async volume(name: 'results' | 'services'): Promise<string> {
    const of = `${this.#project}_${name}`;
    const { stdout } = await podman('volume', 'inspect', '--format', '{{.Mountpoint}}', of);
    return stdout.trim();
  }

  /** The number of jobs that the services have accepted, by their log. */
  async jobs(): Promise<number> {
    const { stdout, stderr } = await podman('logs', this.#name('services'));
    const accepted = /"endpoint":"submit".*"status":200/;
    return `${stdout}${stderr}`.split('\n').filter((line) => accepted.test(line)).length;
  }

  /** Of both services, after `down`: while they run they lock their database. */
  async journal(): Promise<readonly JournalEntry[]> {
    const database = new DatabaseSync(join(await this.volume('services'), 'services.db'));
    try {
      return new Journal(database).entries();
    } finally {
      database.close();
    }
  }

  async close(): Promise<void> {
    await this.#compose('down', '--volumes').catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #label(): string {
    return `label=io.podman.compose.project=${this.#project}`;
  }

  #name(service: string): string {
    return `${this.#project}_${service}_1`;
  }

  async #state(service: string, format: string): Promise<Ended> {
    return podman('inspect', '--format', format, this.#name(service));
  }

  async #until(what: string, check: () => Promise<boolean>, withinMs = 180_000): Promise<void> {
    const end = Date.now() + withinMs;
    while (!(await check())) {
      if (Date.now() > end) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
      await delay(POLL_INTERVAL_MS);
    }
  }
}

/** That of Compose, with a window of seconds. */
function configuration({ limit, windowMs }: Window): object {
  const text = readFileSync(join(ROOT, 'deploy', 'compose', 'hundredfold.yaml'), 'utf8');
  const usual = parse(text) as { readonly services: { readonly predictions: object } };
  const predictions = {
    ...usual.services.predictions,
    budget: { limit, window: `${windowMs}ms` },
  };
  return { ...usual, services: { ...usual.services, predictions } };
}

/** Overrides of docker-compose.yml: a window of seconds, and jobs that end at once. */
function quick({ limit, windowMs }: Window, jobMs: number, config: string): object {
  const window = `${windowMs}ms`;
  const volumes = [`${config}:/etc/quick/hundredfold.yaml:ro`];
  const environment = { HUNDREDFOLD_CONFIG: '/etc/quick/hundredfold.yaml' };
  // prettier-ignore
  const command = [
    'services', '--port', '8080', '--host', '0.0.0.0', '--database', '/data/services.db',
    '--engine', 'synthetic', '--limit', String(limit), '--window', window,
    '--job-time', `${jobMs}ms`, '--retry-after', '1',
  ];
  return { services: { services: { command }, worker: { environment, volumes } } };
}

function secret(length: number): string {
  return randomBytes(length).toString('hex').slice(0, length);
}
