/** The environment of a round: the processes, the network between them, their folder. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { temporalCli } from '../../src/temporal/cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { startDevServer, stopDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { isAlive } from '../../src/temporal/processes.ts';
import { type Ended, Desk, type Typed } from '../cli/command.ts';
import { startProxy, type Proxy } from '../crash/proxy.ts';
import { Actor } from './actor.ts';
import { Chronicle } from './chronicle.ts';
import { childrenOf, Clocks } from './clocks.ts';
import { HOST } from './deeds.ts';
import { Edges } from './edges.ts';
import { FaultControl } from './fault-control.ts';
import { FOLDERS, runOf, WORKERS, type Plan, type PlannedCampaign } from './plan.ts';
import { Questions } from './questions.ts';
import { configuration, environmentIn, servicesCommand } from './setting.ts';
import { sharedTemporaryFolder, Squatter, whyNoOtherUser } from './squatter.ts';

/** The chronicle's name for the time in which a Temporal elsewhere is away. */
export const TEMPORAL_AWAY = 'Temporal away';
/** … and for the time in which a working command is suspended. */
export const WORK_STANDS = 'work stands still';

/** A command that sends something to a campaign and ends. */
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
  readonly edges: Edges;
  readonly services: Actor;
  /** The commands of the plan's campaigns, in its order. */
  readonly runs: readonly Actor[];
  readonly workers: readonly Actor[];
  /** The first campaign's command in another working folder. */
  readonly rivals: readonly Actor[];
  /** `watch`, if there are questions. */
  readonly watchers: readonly Actor[];
  /** Runs of used names. */
  readonly encores: Actor[] = [];
  readonly controls: Control[] = [];
  readonly questions: Questions;
  readonly faults: FaultControl;
  readonly clocks: Clocks;
  readonly proxy: Proxy;
  squatter: Squatter | null = null;
  /** The server of the scenario `elsewhere`. */
  #temporal: DevServer | null = null;

  static async open(plan: Plan): Promise<Stage> {
    const port = await freePort();
    const edges = new Edges(plan.service.windowMs);
    const stage = new Stage(plan, port, edges, await startProxy(port, edges.see));
    try {
      await stage.#setUp();
    } catch (error) {
      await stage.clear();
      throw error;
    }
    return stage;
  }

  private constructor(plan: Plan, port: number, edges: Edges, proxy: Proxy) {
    const { chronicle, desk } = this;
    this.plan = plan;
    this.edges = edges;
    this.proxy = proxy;
    const serve = (): Typed => {
      this.faults.forgotten();
      return desk.type(servicesCommand(plan, port), { env: environmentIn(desk.folder) });
    };
    this.services = new Actor('services', serve, chronicle, false);
    this.faults = new FaultControl(`http://127.0.0.1:${port}`, chronicle);
    const actor = (name: string, words: readonly string[], folder: string, finishes: boolean) =>
      new Actor(name, () => this.#typeIn(folder, words), chronicle, finishes);
    this.runs = plan.campaigns.map((campaign) => {
      const { name, folder } = campaign;
      const type = (words: readonly string[]) => this.#typeIn(folder, words);
      const words = this.runCommand(campaign);
      // The remedy for a tree that was removed under a running campaign.
      const heed = async ({ stderr }: Ended): Promise<void> => {
        if (stderr.includes('[TREE_NOT_HERE]')) await type(['cancel', name, '--abandon']).ended;
      };
      return new Actor(runOf(name), () => type(words), chronicle, true, heed);
    });
    const workers = plan.scenario === 'elsewhere' ? WORKERS : [];
    this.workers = workers.map((name) => {
      // As on another host: its ledger does not see what the first one sends.
      const apart = plan.kind === 'terminated' && name !== WORKERS[0];
      const more = apart ? { HUNDREDFOLD_STATE_DIR: desk.path('state of the second host') } : {};
      const type = () => this.#typeIn(FOLDERS.first, ['worker'], more);
      return new Actor(name, type, chronicle, false);
    });
    const rival = ['run', 'a.jsonl', '--out', '../results', '--json'];
    this.rivals = plan.rival ? [actor('rival', rival, FOLDERS.second, true)] : [];
    const watched = plan.askEveryMs === null ? [] : plan.campaigns.slice(0, 1);
    this.watchers = watched.map(({ name, folder }) =>
      actor(`watch ${name}`, ['watch', name], folder, true),
    );
    this.questions = new Questions((...words) => this.type(...words), chronicle);
    this.clocks = new Clocks(() => this.#clockOwners());
  }

  get actors(): readonly Actor[] {
    return [this.services, ...this.commands];
  }

  /** All that work or read for a user, and no service. */
  get commands(): readonly Actor[] {
    return [...this.workers, ...this.runs, ...this.rivals, ...this.watchers, ...this.encores];
  }

  actor(name: string): Actor {
    const host = name === HOST ? this.desk.record('host')?.['pid'] : null;
    const found =
      this.commands.find(({ pid }) => pid !== null && pid === host) ??
      this.actors.find((actor) => actor.name === name) ??
      (name === HOST ? this.runs[0] : undefined);
    if (found === undefined) throw new Error(`the plan names ${name}, which is not on the stage`);
    return found;
  }

  type(...words: readonly string[]): Typed {
    return this.#typeIn(FOLDERS.first, words);
  }

  runCommand({ name }: Pick<PlannedCampaign, 'name'>): string[] {
    const noWorker = this.plan.ownWorker ? [] : ['--no-worker'];
    return ['run', `${name}.jsonl`, '--json', ...noWorker];
  }

  /** The output tree of a campaign. */
  tree(campaign: string): string {
    const folder = this.plan.campaigns.find(({ name }) => name === campaign)?.folder;
    return this.desk.path(folder ?? FOLDERS.first, 'results', campaign);
  }

  /** The pid of the Temporal server that runs now. */
  temporalPid(): number | null {
    const pid = this.#temporal?.pid ?? this.desk.record('server')?.['pid'];
    return typeof pid === 'number' && isAlive(pid) ? pid : null;
  }

  /** Starts the Temporal elsewhere, again after it was killed; nothing if the commands have their own. */
  async startTemporal(): Promise<void> {
    if (this.plan.scenario !== 'elsewhere') return;
    const former = this.#temporal;
    const port = former === null ? await freePort() : Number(former.address.split(':')[1]);
    const dir = this.desk.path('temporal');
    this.#temporal = await startDevServer({ executable: temporalCli(), dir, port, headless: true });
    this.chronicle.end(TEMPORAL_AWAY);
    this.chronicle.note(`Temporal runs (process ${this.#temporal.pid})`);
  }

  async terminateBudgets(): Promise<void> {
    const { address = '' } = this.#temporal ?? {};
    const client = await connectClient({ address, namespace: 'default', embedded: false });
    try {
      const query = 'WorkflowType = "budget" AND ExecutionStatus = "Running"';
      for await (const { workflowId } of client.workflow.list({ query })) {
        await client.workflow.getHandle(workflowId).terminate('chaos');
        this.chronicle.note(`${workflowId} was terminated`);
      }
    } finally {
      await client.connection.close();
    }
  }

  /** Every process ends in order: commands first, then what they depend on. */
  async strike(): Promise<void> {
    await this.questions.stop();
    await Promise.all(this.commands.map((actor) => actor.retire()));
    await this.clocks.stop();
    await this.services.retire();
    if (this.#temporal !== null) await stopDevServer(this.#temporal);
    this.squatter?.leave();
    await this.faults.stop();
    await this.proxy.close();
  }

  /** Remaining processes end at once; the folder stays. */
  async clear(): Promise<void> {
    for (const actor of this.actors) actor.abandon();
    this.questions.kill();
    this.squatter?.leave();
    const pids = [...this.chronicle.commands.map(({ typed }) => (typed.running ? typed.pid : 0))];
    for (const pid of [...pids, ...this.desk.servers(), this.temporalPid() ?? 0]) {
      if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
    await Promise.all([this.questions.stop(), this.clocks.stop(), this.faults.stop()]);
    await this.proxy.close();
  }

  async #setUp(): Promise<void> {
    const { desk, plan } = this;
    // Other users may look in, as far as the modes of its contents allow.
    chmodSync(desk.folder, 0o755);
    const temporary = sharedTemporaryFolder(desk.path('tmp'));
    for (const folder of Object.values(FOLDERS)) mkdirSync(desk.path(folder), { recursive: true });
    for (const campaign of plan.campaigns) {
      // A rival has the same manifest: by another path it would be another one.
      const folders = plan.rival ? Object.values(FOLDERS) : [campaign.folder];
      for (const folder of folders) this.#layOut(campaign, folder);
    }
    await this.startTemporal();
    for (const folder of Object.values(FOLDERS)) {
      const text = configuration(plan, this.proxy.port, this.#temporal);
      desk.write(`${folder}/hundredfold.yaml`, text);
    }
    if (plan.squat !== null && whyNoOtherUser() === null)
      this.squatter = await Squatter.settle(plan.squat, temporary, desk.path('lured'));
    this.services.start();
    await this.services.typed?.says('Ctrl-C stops');
  }

  #layOut({ name, rows }: PlannedCampaign, folder: string): void {
    const manifest = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    this.desk.write(`${folder}/${name}.jsonl`, manifest);
    const files = Object.entries(this.plan.files);
    for (const [file, text] of files) this.desk.write(`${folder}/${file}`, text);
  }

  #typeIn(folder: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const { desk } = this;
    const env = { ...environmentIn(desk.folder), ...more };
    return desk.type(words, { cwd: desk.path(folder), env });
  }

  /** The server's alone if it is elsewhere; otherwise that of a machine without the services. */
  #clockOwners(): number[] {
    const { chronicle, desk, plan, services } = this;
    const servers = [this.temporalPid() ?? 0];
    if (plan.scenario === 'elsewhere') return servers.filter((pid) => pid > 0);
    const second = desk.path(FOLDERS.second, '.hundredfold');
    if (existsSync(second)) servers.push(Number(desk.record('server', second)?.['pid'] ?? 0));
    const commands = chronicle.commands.flatMap(({ typed }) =>
      typed.running && typed !== services.typed ? [typed.pid] : [],
    );
    // A new server is known by its file only when it works already.
    const pids = new Set([...servers, ...commands, ...commands.flatMap(childrenOf)]);
    return [...pids].filter((pid) => pid > 0 && isAlive(pid));
  }
}
