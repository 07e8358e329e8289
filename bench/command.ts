/** Runs the real command against the real local services, each in a separate process and folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from './usage.ts';

export const BIN = fileURLToPath(new URL('../bin/hundredfold.js', import.meta.url));
export const ENVIRONMENT = {
  ...process.env,
  HUNDREDFOLD_MOLECULE_TOKEN: 'benchmark1',
  HUNDREDFOLD_PREDICTION_TOKEN: 'benchmark1',
};

/** A submission as the service has recorded it. */
export interface Arrival {
  /** ms since the epoch. */
  readonly at: number;
  readonly status: number;
  readonly accepted: number;
  /** The unique name of the job. */
  readonly name: string | null;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** When the process was started, ms since the epoch. */
  readonly startedAt: number;
}

export class Bench {
  readonly folder: string;
  #services: ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), 'hundredfold-bench-')));
  }

  /**
   * Starts the local services and names them in hundredfold.yaml; returns their address.
   * @param more further keys of the prediction service, in YAML's flow style
   */
  async serve(options: readonly string[], budget: string, more = ''): Promise<string> {
    const url = await this.startServices(options);
    const services = [
      'services:',
      `  molecules: { url: "${url}/acpype", budget: none }`,
      `  predictions: { url: "${url}", budget: ${budget}, poll: { every: 250ms }${more} }`,
    ];
    await writeFile(join(this.folder, 'hundredfold.yaml'), `${services.join('\n')}\n`);
    return url;
  }

  /** Returns the address of their prediction service. */
  async startServices(options: readonly string[], database = 'services.db'): Promise<string> {
    const child = this.#spawn(['services', '--port', '0', '--database', database, ...options]);
    this.#services.push(child);
    return new Promise<string>((resolve, reject) => {
      let said = '';
      const listen = (chunk: Buffer): void => {
        said += chunk.toString();
        const found = /predictions: (http\S+)/.exec(said);
        if (!found?.[1]) return;
        resolve(found[1]);
        // The following log lines are read and discarded, so that the pipe does not fill.
        child.stderr?.off('data', listen).resume();
      };
      child.stderr?.on('data', listen);
      child.once('exit', () => reject(new Error(`the services did not start:\n${said}`)));
    });
  }

  /** The synthetic engine without any limit, so that only the program itself takes time. */
  serveUnlimited(): Promise<string> {
    return this.serve(
      '--engine synthetic --concurrency 0 --limit 0 --job-time 100ms --retry-after 0'.split(' '),
      'none',
      // Otherwise a count of unfinished jobs, every few seconds, would determine the speed.
      ', maxOpen: none',
    );
  }

  async manifest(rows: readonly object[], name = 'bench'): Promise<string> {
    const path = join(this.folder, `${name}.jsonl`);
    await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    return path;
  }

  /** CPU time of the services so far, in s. */
  servicesSeconds(): number {
    return this.#services.reduce((sum, { pid }) => sum + (pid ? cpuSeconds(pid) : 0), 0);
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.type(args).ended;
  }

  /** The command while it runs, for interruptions. */
  type(args: readonly string[]): {
    readonly child: ChildProcess;
    readonly ended: Promise<Ended>;
  } {
    const startedAt = Date.now();
    const child = this.#spawn(args);
    const out = { stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => (out.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()));
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => resolve({ code, ...out, startedAt }));
    });
    return { child, ended };
  }

  /** The service's journal; the services are stopped first, because they lock their database. */
  async journal(file = 'services.db'): Promise<Arrival[]> {
    await this.#stopServices();
    const database = new DatabaseSync(join(this.folder, file));
    const query = 'SELECT at, status, accepted, job_name AS name FROM arrivals ORDER BY at';
    const rows = database.prepare(query).all();
    database.close();
    return rows as unknown as Arrival[];
  }

  /** From when the ledger counts each of its jobs (ms since the epoch); also while a command runs. */
  charges(): number[] {
    const path = join(this.folder, 'state', 'ledger.db');
    if (!existsSync(path)) return [];
    const database = new DatabaseSync(path, { timeout: 2_000 });
    const table = `SELECT 1 FROM sqlite_master WHERE name = 'charges'`;
    const query = `SELECT wall FROM charges WHERE state = 'charged' ORDER BY wall`;
    // The command may be about to create it.
    const rows = database.prepare(table).get() ? database.prepare(query).all() : [];
    database.close();
    return rows.map(({ wall }) => Number(wall));
  }

  async close(): Promise<void> {
    await this.#stopServices();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #stopServices(): Promise<void> {
    for (const services of this.#services.splice(0)) {
      if (services.exitCode !== null) continue;
      const ended = new Promise((resolve) => services.once('close', resolve));
      services.kill('SIGTERM');
      await ended;
    }
  }

  #spawn(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [BIN, ...args], {
      cwd: this.folder,
      // A separate ledger: one run must not count against the next.
      env: { ...ENVIRONMENT, HUNDREDFOLD_STATE_DIR: join(this.folder, 'state') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';

/** Different sequences, for the synthetic engine. */
export function sequences(count: number): object[] {
  return Array.from({ length: count }, (_, n) => {
    const residue = (place: number) => RESIDUES[Math.floor(n / 20 ** place) % 20] ?? 'A';
    return { id: `seq-${n}`, sequence: `MKTAYIAK${[0, 1, 2, 3].map(residue).join('')}` };
  });
}
