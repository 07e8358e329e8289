/** The environment of a round: the processes, the network between them, their folder. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requireTemporalCli } from '../shared-cli.ts';
import { startDevServer, stopDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { freePort, isAlive } from '../../src/temporal/machine.ts';
import { type Ended, Desk, ROOT, type Typed } from '../cli/command.ts';
import { startProxy, type Proxy } from '../crash/proxy.ts';
import { Actor } from './actor.ts';
import { Chronicle } from './chronicle.ts';
import { childrenOf, Clocks } from './clocks.ts';
import { HOST } from './deeds.ts';
import { Edges } from './edges.ts';
import { FaultControl } from './fault-control.ts';
import { PluginService } from './plugin-service.ts';
import { FOLDERS, LANE, runOf, WORKERS, type Plan } from './plan.ts';
import { configuration, environmentIn, laneCommand, servicesCommand } from './setting.ts';

/** Its machine is small. */
const LANE_FAULTS = [{ name: 'kill-engine', probability: 0.15, seed: 1 }] as const;

/** The chronicle's name for the time in which a Temporal elsewhere is away. */
export const TEMPORAL_AWAY = 'Temporal away';
/** … and for the time in which a working command is suspended. */
export const WORK_STANDS = 'work stands still';

/** A command that sends something to a campaign, or reads, and ends. */
export interface Control {
  readonly name: string;
  readonly typed: Typed;
  readonly startedAt: number;
  endedAt?: number;
  /** It was killed in a power cut. */
  excused: boolean;
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
  readonly controls: Control[] = [];
  readonly faults: FaultControl;
  /** The engines beside the prediction service, if the plan has any. */
  readonly lane: { readonly actor: Actor; readonly faults: FaultControl } | null;
  readonly clocks: Clocks;
  /** In front of the local services, and of the plugin's. */
  readonly proxies: readonly [Proxy, Proxy];
  readonly plugin: PluginService;
  laneUrl = '';
  /** The server of the scenario `elsewhere`. */
  #temporal: DevServer | null = null;

  static async open(plan: Plan): Promise<Stage> {
    const [port, lanePort] = [await freePort(), await freePort()];
    const edges = new Edges(plan.service.windowMs);
    const plugin = new PluginService(plan);
    const ports = [port, await plugin.listen()] as const;
    const proxies = [
      await startProxy(ports[0], edges.see),
      await startProxy(ports[1], edges.see),
    ] as const;
    const stage = new Stage(plan, [port, lanePort], { edges, plugin, proxies });
    try {
      await stage.#setUp();
    } catch (error) {
      await stage.clear();
      throw error;
    }
    return stage;
  }

  private constructor(
    plan: Plan,
    [port, lanePort]: readonly [number, number],
    { edges, plugin, proxies }: Pick<Stage, 'edges' | 'plugin' | 'proxies'>,
  ) {
    const { chronicle } = this;
    this.plan = plan;
    this.edges = edges;
    this.plugin = plugin;
    this.proxies = proxies;
    const serve = (): Typed => {
      this.faults.forgotten();
      return this.type(...servicesCommand(plan, port));
    };
    this.services = new Actor('services', serve, chronicle, false);
    this.faults = new FaultControl(`http://127.0.0.1:${port}`, plugin, chronicle);
    this.lane = this.#openLane(lanePort);
    this.runs = plan.campaigns.map(({ name, folder }) => {
      const noWorker = plan.ownWorker ? [] : ['--no-worker'];
      const words = ['run', `${name}.jsonl`, '--json', ...noWorker];
      // The remedy for a tree that was removed under a running campaign.
      const heed = async ({ stderr }: Ended): Promise<void> => {
        if (stderr.includes('[TREE_NOT_HERE]'))
          await this.#typeIn(folder, ['cancel', name, '--abandon']).ended;
      };
      return new Actor(runOf(name), () => this.#typeIn(folder, words), chronicle, true, heed);
    });
    const workers = plan.scenario === 'elsewhere' ? WORKERS : [];
    this.workers = workers.map(
      (name) => new Actor(name, () => this.type('worker'), chronicle, false),
    );
    this.clocks = new Clocks(() => this.#clockOwners());
  }

  #openLane(port: number): Stage['lane'] {
    const { lane } = this.plan;
    this.laneUrl = `http://127.0.0.1:${port}`;
    if (lane === null) return null;
    // What the storm says of its rules is that of the service.
    const faults = new FaultControl(this.laneUrl, null, new Chronicle());
    const serve = (): Typed => {
      faults.forgotten();
      return this.type(...laneCommand(lane, port));
    };
    return { faults, actor: new Actor(LANE, serve, this.chronicle, false) };
  }

  get actors(): readonly Actor[] {
    return [this.services, ...(this.lane ? [this.lane.actor] : []), ...this.commands];
  }

  /** All that work for a user, and no service. */
  get commands(): readonly Actor[] {
    return [...this.workers, ...this.runs];
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
    this.#temporal = await startDevServer({ executable: requireTemporalCli(), dir, port });
    this.chronicle.end(TEMPORAL_AWAY);
    this.chronicle.note(`Temporal runs (process ${this.#temporal.pid})`);
  }

  /** Those that have not ended, as in a power cut. */
  killControls(): void {
    for (const life of this.controls.filter(({ typed }) => typed.running)) {
      life.excused = true;
      life.typed.kill('SIGKILL');
    }
  }

  /** Every process ends in order: commands first, then what they depend on. */
  async strike(): Promise<void> {
    await Promise.all(this.controls.map(({ typed }) => typed.ended));
    await Promise.all(this.commands.map((actor) => actor.retire()));
    await this.clocks.stop();
    await Promise.all([this.services.retire(), this.lane?.actor.retire()]);
    if (this.#temporal !== null) await stopDevServer(this.#temporal);
    await Promise.all([this.faults.stop(), this.lane?.faults.stop()]);
    await this.#closeNetwork();
  }

  /** Remaining processes end at once; the folder stays. */
  async clear(): Promise<void> {
    for (const actor of this.actors) actor.abandon();
    const pids = this.chronicle.commands.map(({ typed }) => (typed.running ? typed.pid : 0));
    for (const pid of [...pids, ...this.desk.servers(), this.temporalPid() ?? 0]) {
      if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
    await Promise.all([this.clocks.stop(), this.faults.stop(), this.lane?.faults.stop()]);
    await this.#closeNetwork();
  }

  async #closeNetwork(): Promise<void> {
    await Promise.all(this.proxies.map((one) => one.close()));
    this.plugin.close();
  }

  async #setUp(): Promise<void> {
    const { desk, plan } = this;
    for (const folder of [...Object.values(FOLDERS), 'tmp'])
      mkdirSync(desk.path(folder), { recursive: true });
    for (const { name, rows, folder } of plan.campaigns) {
      const manifest = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      desk.write(`${folder}/${name}.jsonl`, manifest);
      for (const [file, text] of Object.entries(plan.files)) desk.write(`${folder}/${file}`, text);
    }
    await this.startTemporal();
    const text = configuration(plan, this.proxies, this.#temporal, this.laneUrl);
    for (const folder of Object.values(FOLDERS)) {
      desk.write(`${folder}/hundredfold.yaml`, text);
      const file = `${plan.plugin}.ts`;
      copyFileSync(join(ROOT, 'examples', 'services', file), desk.path(folder, file));
    }
    this.services.start();
    await this.services.typed?.says('Ctrl-C stops');
    if (this.lane === null) return;
    this.lane.actor.start();
    await this.lane.actor.typed?.says('Ctrl-C stops');
    this.lane.faults.add(LANE_FAULTS);
  }

  #typeIn(folder: string, words: readonly string[]): Typed {
    const { desk } = this;
    return desk.type(words, { cwd: desk.path(folder), env: environmentIn(desk.folder) });
  }

  /** The server's alone if it is elsewhere; otherwise that of a machine without the services. */
  #clockOwners(): number[] {
    const { chronicle, plan, services } = this;
    const servers = [this.temporalPid() ?? 0];
    if (plan.scenario === 'elsewhere') return servers.filter((pid) => pid > 0);
    const commands = chronicle.commands.flatMap(({ typed }) =>
      typed.running && typed !== services.typed ? [typed.pid] : [],
    );
    // A new server is known by its file only when it works already.
    const pids = new Set([...servers, ...commands, ...commands.flatMap(childrenOf)]);
    return [...pids].filter((pid) => pid > 0 && isAlive(pid));
  }
}
