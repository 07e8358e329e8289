/** One peer runs the items once, undisturbed or killed in the middle, against its own service. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { Bench, ENVIRONMENT, sequences } from '../command.ts';
import type { WindowCase } from '../window.ts';
import { countRun, nextAccepted, type Done, type Figures } from './figures.ts';
import type { Installed } from './registry.ts';
import type { Server } from './servers.ts';
import { folderOf, processes, watch } from '../usage.ts';

export const CASE: WindowCase = { items: 100, limit: 20, windowSeconds: 10, jobSeconds: 1.5 };
/** For a peer that has not ended by then, the missing results are lost. */
const TIMEOUT_MS = 600_000;
/** After a kill: pending submissions arrive, and are not counted for the next start. */
const DRAINED_MS = 1_000;
const CAMPAIGN = 'items';

interface Course {
  readonly kill: boolean;
  /** Where the output of the program goes. */
  readonly log: string;
}

const TOKEN = 'benchmark1';

export async function run(peer: Installed, course: Course): Promise<Figures> {
  const bench = await Bench.open();
  const server = await peer.serve?.(bench.folder);
  try {
    const { limit, windowSeconds, jobSeconds, items } = CASE;
    const service = await bench.serve(
      [
        ...['--engine', 'synthetic', '--concurrency', '0', '--retry-after', '1'],
        ...['--limit', String(limit), '--address-limit', '0'],
        ...['--window', `${windowSeconds}s`, '--job-time', `${jobSeconds}s`],
      ],
      `{ limit: ${limit}, window: ${windowSeconds}s }`,
    );
    await bench.manifest(sequences(items), CAMPAIGN);
    const ran = await new Runs(peer, course, { folder: bench.folder, service, server }).all();
    const done = await results(bench.folder);
    const journal = await bench.journal();
    const { againAt, ...rest } = ran;
    return {
      ...countRun(journal, done, items),
      ...rest,
      ...(againAt === null ? {} : { recovery: nextAccepted(journal, againAt) }),
    };
  } finally {
    await server?.stop();
    await bench.close();
  }
}

interface Place {
  readonly folder: string;
  /** Address of the prediction service. */
  readonly service: string;
  readonly server: Server | undefined;
}

/** The program of a peer: started, killed if requested, restarted. */
class Runs {
  readonly #peer: Installed;
  readonly #course: Course;
  readonly #place: Place;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #sessions: number[] = [];

  constructor(peer: Installed, course: Course, place: Place) {
    this.#peer = peer;
    this.#course = course;
    this.#place = place;
    this.#environment = {
      ...ENVIRONMENT,
      ...peer.environment,
      ...place.server?.environment,
      SERVICE: place.service,
      TOKEN,
      HUNDREDFOLD_STATE_DIR: join(place.folder, 'state'),
    };
  }

  async all() {
    const { server } = this.#place;
    const startedAt = Date.now();
    const { command, unlock } = this.#peer;
    const first = this.#start(command);
    const usage = watch([first.child.pid ?? 0, ...(server ? [server.pid] : [])]);
    const endWithUs = (): void => {
      this.#clear();
      if (server) process.kill(server.pid, 'SIGKILL');
    };
    process.once('exit', endWithUs);
    try {
      const againAt = this.#course.kill ? await this.#killInTheMiddle(first) : null;
      let unlocked = false;
      if (againAt === null) await this.#toTheEnd(first);
      else if ((await this.#toTheEnd(this.#start(command))) !== 0 && unlock) {
        unlocked = true;
        await this.#toTheEnd(this.#start(unlock));
        await this.#toTheEnd(this.#start(command));
      }
      const whole = (Date.now() - startedAt) / 1_000;
      return { usage: usage.stop(), whole, unlocked, againAt };
    } finally {
      usage.stop();
      process.off('exit', endWithUs);
      this.#clear();
    }
  }

  /** In a separate session, so that all of its processes can be ended. */
  #start([program = '', ...args]: readonly string[]): Started {
    const child = spawn(program, args, {
      cwd: this.#place.folder,
      env: this.#environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#sessions.push(child.pid ?? 0);
    const log = createWriteStream(this.#course.log, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    // Not `close`: children of a killed program may keep its output open.
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
      child.once('error', (error) => {
        log.write(`${error.message}\n`);
        resolve(null);
      });
    });
    return { child, ended };
  }

  /** With SIGKILL, the program alone, as soon as half of the items have a job. Returns when to restart it. */
  async #killInTheMiddle({ child, ended }: Started): Promise<number> {
    const end = Date.now() + TIMEOUT_MS;
    while ((await acceptedBy(this.#place.service)) < CASE.items / 2) {
      if (Date.now() > end || child.exitCode !== null) throw new Error('it ended before the kill');
      await delay(100);
    }
    child.kill('SIGKILL');
    await ended;
    await delay(DRAINED_MS);
    return Date.now();
  }

  async #toTheEnd({ child, ended }: Started): Promise<number | null> {
    const late = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const code = await ended;
    clearTimeout(late);
    return code;
  }

  /** Also an embedded server, which hundredfold starts in a separate session. */
  #clear(): void {
    const { folder, server } = this.#place;
    const left = processes().filter(
      ({ pid, session, name }) =>
        this.#sessions.includes(session) ||
        (name === 'temporal' && pid !== server?.pid && folderOf(pid).startsWith(folder)),
    );
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

/** The number of jobs that the service lists for the token. */
async function acceptedBy(service: string): Promise<number> {
  const list = `${service}/online_predictors/api/past-results/single-sequence/`;
  const answer = await fetch(list, { headers: { 'X-Service-Token': TOKEN } });
  return ((await answer.json()) as unknown[]).length;
}

/** For hundredfold from its table, for the others from their files. */
async function results(folder: string): Promise<Done[]> {
  const table = join(folder, 'results', CAMPAIGN, 'items.csv');
  if (existsSync(table)) {
    const rows = parse<Record<string, string>>(await readFile(table), { columns: true });
    return rows
      .filter(({ state }) => state === 'succeeded')
      .map(({ id = '', finished_at: at = '' }) => ({ id, at: Date.parse(at) }));
  }
  const files = join(folder, 'results');
  mkdirSync(files, { recursive: true });
  const names = readdirSync(files).filter((name) => name.endsWith('.json'));
  return names
    .filter((name) => statSync(join(files, name)).size > 0)
    .map((name) => ({ id: name.slice(0, -5), at: statSync(join(files, name)).mtimeMs }));
}

/** An empty file for the output of a run. */
export async function emptyLog(folder: string, name: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.log`);
  await writeFile(file, '');
  return file;
}
