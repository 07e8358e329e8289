/** Where a round is played: the processes, the network between them, the folder they lie in. */
import { temporalCli } from '../../src/temporal/cli.ts';
import { startDevServer, stopDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { isAlive } from '../../src/temporal/processes.ts';
import { Desk, type Typed } from '../cli/command.ts';
import { Actor } from './actor.ts';
import { Chronicle } from './chronicle.ts';
import { FaultControl } from './fault-control.ts';
import { runOf, WORKERS, type Plan } from './plan.ts';
import { startProxy, type Proxy } from '../crash/proxy.ts';

/** Unlike anything else that is written; the molecule service wants ten characters. */
export const TOKENS = { molecules: 'mChaosTk7Z', predictions: 'pChaosTokenQ9x' } as const;

/** What a command needs to be typed with. */
const ENV = {
  HUNDREDFOLD_MOLECULE_TOKEN: TOKENS.molecules,
  HUNDREDFOLD_PREDICTION_TOKEN: TOKENS.predictions,
};

/** The chronicle's name for the time in which a Temporal elsewhere is away. */
export const TEMPORAL_AWAY = 'Temporal away';

/** A command that says something to a campaign and ends. */
export interface Control {
  readonly name: string;
  readonly typed: Typed;
  readonly startedAt: number;
  endedAt: number | null;
}

export class Stage {
  readonly desk = new Desk();
  readonly chronicle = new Chronicle();
  readonly plan: Plan;
  readonly services: Actor;
  readonly runs: readonly Actor[];
  readonly workers: readonly Actor[];
  readonly controls: Control[] = [];
  readonly faults: FaultControl;
  readonly proxy: Proxy;
  /** The server of the scenario `elsewhere`. */
  #temporal: DevServer | null = null;

  static async open(plan: Plan): Promise<Stage> {
    const port = await freePort();
    const stage = new Stage(plan, port, await startProxy(port));
    try {
      await stage.#setUp();
    } catch (error) {
      await stage.clear();
      throw error;
    }
    return stage;
  }

  private constructor(plan: Plan, port: number, proxy: Proxy) {
    const { chronicle, desk } = this;
    this.plan = plan;
    this.proxy = proxy;
    const { campaigns, scenario } = plan;
    const serve = (): Typed => {
      this.faults.forgotten();
      return desk.type(servicesCommand(plan, port));
    };
    this.services = new Actor('services', serve, chronicle, false);
    this.faults = new FaultControl(`http://127.0.0.1:${port}`, chronicle);
    this.runs = campaigns.map(
      ({ name }) =>
        new Actor(runOf(name), () => this.type(...this.runCommand(name)), chronicle, true),
    );
    const workers = scenario === 'elsewhere' ? WORKERS : [];
    this.workers = workers.map(
      (name) => new Actor(name, () => this.type('worker'), chronicle, false),
    );
  }

  get actors(): readonly Actor[] {
    return [this.services, ...this.workers, ...this.runs];
  }

  actor(name: string): Actor {
    const found = this.actors.find((actor) => actor.name === name);
    if (found === undefined) throw new Error(`the plan names ${name}, which is not on the stage`);
    return found;
  }

  type(...words: readonly string[]): Typed {
    return this.desk.type(words, { env: ENV });
  }

  runCommand(campaign: string): string[] {
    const noWorker = this.plan.ownWorker ? [] : ['--no-worker'];
    return ['run', `${campaign}.jsonl`, '--json', ...noWorker];
  }

  /** The pid of the Temporal server that runs now. */
  temporalPid(): number | null {
    const pid = this.#temporal?.pid ?? this.desk.record('server')?.['pid'];
    return typeof pid === 'number' && isAlive(pid) ? pid : null;
  }

  /** Starts the Temporal elsewhere, again after it was killed; nothing where the commands have their own. */
  async startTemporal(): Promise<void> {
    if (this.plan.scenario !== 'elsewhere') return;
    const former = this.#temporal;
    const port = former === null ? await freePort() : Number(former.address.split(':')[1]);
    const dir = this.desk.path('temporal');
    this.#temporal = await startDevServer({ executable: temporalCli(), dir, port, headless: true });
    this.chronicle.end(TEMPORAL_AWAY);
    this.chronicle.tell(`Temporal runs (process ${this.#temporal.pid})`);
  }

  /** Every process ends in order: commands first, then what they stand on. */
  async strike(): Promise<void> {
    await Promise.all([...this.runs, ...this.workers].map((actor) => actor.retire()));
    await this.services.retire();
    if (this.#temporal !== null) await stopDevServer(this.#temporal);
    await this.faults.stop();
    await this.proxy.close();
  }

  /** Whatever is left ends at once; the folder stays. */
  async clear(): Promise<void> {
    for (const actor of this.actors) actor.abandon();
    const pids = [...this.chronicle.commands.map(({ typed }) => (typed.running ? typed.pid : 0))];
    for (const pid of [...pids, ...this.desk.servers(), this.temporalPid() ?? 0]) {
      if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
    await Promise.all([this.faults.stop(), this.proxy.close()]);
  }

  async #setUp(): Promise<void> {
    const { desk, plan } = this;
    for (const { name, rows } of plan.campaigns) {
      desk.write(`${name}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    }
    for (const [name, text] of Object.entries(plan.files)) desk.write(name, text);
    await this.startTemporal();
    desk.write('hundredfold.yaml', configuration(plan, this.proxy.port, this.#temporal));
    this.services.start();
    await this.services.typed?.says('Ctrl-C stops');
  }
}

function servicesCommand({ service }: Plan, port: number): string[] {
  const { limit, moleculeLimit, windowMs, enforced, jobMs } = service;
  const options = {
    port,
    limit: enforced ? limit : 0,
    'molecule-limit': enforced ? (moleculeLimit ?? 0) : 0,
    window: `${windowMs}ms`,
    engine: 'synthetic',
    'job-time': `${jobMs}ms`,
    concurrency: service.concurrency,
    'retry-after': service.retryAfterSeconds,
    database: 'services.db',
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return ['services', ...words, '--fault-control'];
}

function configuration({ service }: Plan, port: number, temporal: DevServer | null): string {
  const { limit, moleculeLimit, windowMs } = service;
  const budget = (of: number | null) =>
    of === null ? 'none' : `{ limit: ${of}, window: ${windowMs}ms }`;
  const url = `http://127.0.0.1:${port}`;
  return `${temporal === null ? '' : `temporal: { address: "${temporal.address}" }\n`}services:
  molecules: { url: "${url}/acpype", budget: ${budget(moleculeLimit)} }
  predictions: { url: "${url}", budget: ${budget(limit)} }
`;
}
