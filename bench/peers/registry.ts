/** The peers, in the order of the table. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEMPORAL_CLI_VERSION } from '../../src/program/temporal-cli.js';
import { postgresFolder } from '../../test/cluster/tools.ts';
import { BIN } from '../command.ts';
import { npmFolder, npmVersion, onPath, PEERS, pipFolder, redisProgram } from './install.ts';
import type { Peer } from './peer.ts';
import { servePostgres, serveRedis, serveTemporal } from './servers.ts';

const ITSELF = 'yes';
const BY_FILES = 'yes, if the program looks for results on disk';

function versionSaid(program: string, args: readonly string[], libraries: string | null): string {
  const env = libraries === null ? process.env : { ...process.env, LD_LIBRARY_PATH: libraries };
  const said = execFileSync(program, args, { encoding: 'utf8', env });
  return /\d+\.\d+(\.\d+)*(-\w+)?/.exec(said)?.[0] ?? said.trim();
}

const hundredfold: Peer = {
  name: 'hundredfold',
  title: 'hundredfold',
  written: ['hundredfold.yaml'],
  client: null,
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
  written: ['main.js'],
  client: 'client.js',
  resumes: ITSELF,
  install: async () => {
    const postgres = postgresFolder(process.env);
    if (postgres === null) return { missing: 'no PostgreSQL (initdb is not on PATH)' };
    const folder = await npmFolder('dbos');
    const server = versionSaid(join(postgres, 'postgres'), ['--version'], null);
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
  written: ['main.js'],
  client: 'client.js',
  resumes: ITSELF,
  install: async () => {
    const redis = await redisProgram();
    const folder = await npmFolder('bullmq');
    const server = versionSaid(redis.program, ['--version'], redis.libraries);
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
  written: ['main.js', 'workflows.js'],
  client: 'client.js',
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
    written: ['main.js'],
    client: 'client.js',
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
  written: ['Snakefile'],
  client: 'fetch.py',
  resumes: 'after `snakemake --unlock`',
  install: async () => {
    const programs = await pipFolder('snakemake');
    const program = join(programs, 'snakemake');
    const base = [program, '--snakefile', join(PEERS, 'snakemake', 'Snakefile')];
    const limits = ['--cores', '100', '--max-jobs-per-timespan', '20/10s'];
    return {
      versions: `Snakemake ${versionSaid(program, ['--version'], null)}`,
      command: [...base, ...limits, '--rerun-incomplete', '--quiet', 'all'],
      unlock: [...base, '--unlock'],
      environment: { PEERS },
    };
  },
};

/** The package is a launcher, which downloads the program at its first run. */
async function nextflowOfPip(): Promise<string | null> {
  const program = join(await pipFolder('nextflow'), 'nextflow');
  try {
    versionSaid(program, ['-version'], null);
    return program;
  } catch {
    return null;
  }
}

const nextflow: Peer = {
  name: 'nextflow',
  title: 'Nextflow',
  written: ['main.nf', 'nextflow.config'],
  client: 'fetch.py',
  resumes: 'with `-resume`',
  install: async () => {
    const program = process.env['NEXTFLOW'] ?? onPath('nextflow') ?? (await nextflowOfPip());
    if (program === null)
      return { missing: 'its launcher could not download the program (see NEXTFLOW)' };
    const config = ['-C', join(PEERS, 'nextflow', 'nextflow.config')];
    const script = join(PEERS, 'nextflow', 'main.nf');
    return {
      versions: `Nextflow ${versionSaid(program, ['-version'], null)}`,
      command: [program, ...config, 'run', script, '-resume', '-ansi-log', 'false'],
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
  inMemory('p-throttle'),
  snakemake,
  nextflow,
];
