/** The peers, in the order of the table. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEMPORAL_CLI_VERSION } from '../../src/temporal/cli.ts';
import { postgresFolder } from '../../test/cluster/tools.ts';
import { BIN } from '../command.ts';
import { npmFolder, npmVersion, PEERS, onPath, pipFolder } from './install.ts';
import { servePostgres, serveRedis, serveTemporal, type Server } from './servers.ts';

export interface Peer {
  /** Of its folder beside this file. */
  readonly name: string;
  readonly title: string;
  /** How it continues after a kill. */
  readonly resumes: string;
  /** Its programs, installed if necessary; or why it is skipped, in a few words. */
  readonly install: () => Promise<Installed | { missing: string }>;
}

export interface Installed {
  /** Names with versions. */
  readonly versions: string;
  /** Started before the program and not affected by the kill. */
  readonly serve?: (folder: string) => Promise<Server>;
  /** Program and arguments, run in the folder with `items.jsonl`. */
  readonly command: readonly string[];
  /** Environment of the program. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What its documentation says to run if the command refuses to start after a kill. */
  readonly unlock?: readonly string[];
}

const ITSELF = 'yes';
const BY_FILES = 'yes, if the program looks for results on disk';

function versionSaid(program: string, args: readonly string[]): string {
  const said = execFileSync(program, args, { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)*(-\w+)?/.exec(said)?.[0] ?? said.trim();
}

const hundredfold: Peer = {
  name: 'hundredfold',
  title: 'hundredfold',
  resumes: ITSELF,
  install: async () => {
    const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return {
      versions: `hundredfold ${version}, Temporal CLI ${TEMPORAL_CLI_VERSION}`,
      command: [process.execPath, BIN, 'run', 'items.jsonl'],
    };
  },
};

const dbos: Peer = {
  name: 'dbos',
  title: 'DBOS Transact, PostgreSQL',
  resumes: ITSELF,
  install: async () => {
    const postgres = postgresFolder(process.env);
    if (postgres === null) return { missing: 'no PostgreSQL (initdb is not on PATH)' };
    const folder = await npmFolder('dbos');
    const server = versionSaid(join(postgres, 'postgres'), ['--version']);
    return {
      versions: `${npmVersion(folder, '@dbos-inc/dbos-sdk')}, PostgreSQL ${server}`,
      serve: (data) => servePostgres(data, postgres),
      command: [process.execPath, join(folder, 'dbos', 'main.js')],
    };
  },
};

const bullmq: Peer = {
  name: 'bullmq',
  title: 'BullMQ, Redis',
  resumes: ITSELF,
  install: async () => {
    const redis = onPath('valkey-server') ?? onPath('redis-server');
    if (redis === null) return { missing: 'no valkey-server or redis-server on PATH' };
    const folder = await npmFolder('bullmq');
    const server = versionSaid(redis, ['--version']);
    return {
      versions: `${npmVersion(folder, 'bullmq')}, Redis ${server}`,
      serve: (data) => serveRedis(data, redis),
      command: [process.execPath, join(folder, 'bullmq', 'main.js')],
    };
  },
};

const temporal: Peer = {
  name: 'temporal',
  title: 'Temporal, rate of a task queue',
  resumes: ITSELF,
  install: async () => {
    const folder = await npmFolder('temporal');
    return {
      versions: `${npmVersion(folder, '@temporalio/worker')}, Temporal CLI ${TEMPORAL_CLI_VERSION}`,
      serve: serveTemporal,
      command: [process.execPath, join(folder, 'temporal', 'main.js')],
    };
  },
};

function inMemory(name: string): Peer {
  return {
    name,
    title: `${name}, in memory`,
    resumes: BY_FILES,
    install: async () => {
      const folder = await npmFolder(name);
      return {
        versions: `${npmVersion(folder, name)}, ${npmVersion(folder, 'p-retry')}`,
        command: [process.execPath, join(folder, name, 'main.js')],
      };
    },
  };
}

const snakemake: Peer = {
  name: 'snakemake',
  title: 'Snakemake',
  resumes: 'after `snakemake --unlock`',
  install: async () => {
    const programs = await pipFolder('snakemake');
    const program = join(programs, 'snakemake');
    const base = [program, '--snakefile', join(PEERS, 'snakemake', 'Snakefile')];
    const limits = ['--cores', '100', '--max-jobs-per-timespan', '20/10s'];
    return {
      versions: `Snakemake ${versionSaid(program, ['--version'])}`,
      command: [...base, ...limits, '--rerun-incomplete', '--quiet', 'all'],
      unlock: [...base, '--unlock'],
      environment: { PEERS },
    };
  },
};

export const REGISTRY: readonly Peer[] = [
  hundredfold,
  dbos,
  bullmq,
  temporal,
  inMemory('p-queue'),
  snakemake,
];
