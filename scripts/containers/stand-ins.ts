/**
 * Stand-ins for the external images in docker-compose.yml, under their names: Temporal's from its Go modules,
 * PostgreSQL from Debian. An existing image of that name is used as it is.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findTemporalCli } from '../../src/temporal/cli.ts';
import { clusterTools } from '../../test/cluster/tools.ts';
import { hasImage, outputOf } from '../run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(import.meta.dirname, 'stand-ins');
const UI = 'github.com/temporalio/ui-server/v2';

/** Service of docker-compose.yml → target of stand-ins/Containerfile. */
const TARGETS = {
  postgresql: 'postgres',
  'temporal-schema': 'admin-tools',
  temporal: 'server',
  'temporal-ui': 'ui',
} as const;

/** The machine's own, for its mirror. A copy, because packages add files. */
const APT = '/etc/apt/apt.conf.d';

type Say = (line: string) => void;

/** Null if all of them exist; otherwise why they cannot be built. */
export function standIns(tools: string, say: Say): string | null {
  const wanted = Object.entries(imagesOfCompose()).filter(([, image]) => !hasImage(image));
  if (wanted.length === 0) return null;
  const programs = programsOf(tools, say);
  if (typeof programs === 'string') return programs;
  const context = join(tools, 'stand-ins');
  mkdirSync(context, { recursive: true });
  for (const name of readdirSync(SOURCES)) copyFileSync(join(SOURCES, name), join(context, name));
  for (const [name, path] of Object.entries(programs)) copyFileSync(path, join(context, name));
  // Files of the Go module cache are read-only: the next copy would be refused.
  for (const name of readdirSync(context)) chmodSync(join(context, name), 0o755);
  cpSync(APT, join(context, 'apt'), { recursive: true });
  for (const [target, image] of wanted) {
    say(`Making a stand-in for ${image} …`);
    build(context, target, image);
  }
  return null;
}

/** Target → image. */
function imagesOfCompose(): Readonly<Record<string, string>> {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as { services: Record<string, { image: string }> };
  return Object.fromEntries(
    Object.entries(TARGETS).map(([service, target]) => [target, services[service]?.image ?? '']),
  );
}

/** Name in the build context → file; or what is missing. */
function programsOf(tools: string, say: Say): Readonly<Record<string, string>> | string {
  const cluster = clusterTools();
  if (typeof cluster === 'string') return cluster;
  const cli = findTemporalCli();
  if (cli === null) return 'no Temporal CLI: node bin/hundredfold.js setup';
  if (spawnSync('go', ['version']).status !== 0) return 'no Go, which builds the Temporal UI';
  return {
    'temporal-server': cluster.temporalServer,
    'temporal-sql-tool': cluster.sqlTool,
    temporal: cli,
    ...userInterface(join(tools, 'bin'), say),
  };
}

/** The version in docker-compose.yml. */
function userInterface(bin: string, say: Say): Readonly<Record<string, string>> {
  const version = imagesOfCompose()['ui']?.split(':')[1] ?? '';
  const program = join(bin, 'server');
  if (!existsSync(program)) {
    say('Building the Temporal UI (a minute) …');
    process.env['GOBIN'] = bin;
    outputOf('go', 'install', `${UI}/cmd/server@v${version}`);
  }
  const cache = outputOf('go', 'env', 'GOMODCACHE');
  const module = join(cache, ...`${UI}@v${version}`.split('/'));
  return {
    'temporal-ui-server': program,
    'temporal-ui.yaml': join(module, 'config', 'docker.yaml'),
  };
}

function build(context: string, target: string, image: string): void {
  // prettier-ignore
  outputOf('buildah',
    'bud', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--format', 'docker', '--layers',
    '--volume', `${join(context, 'apt')}:${APT}`,
    '--target', target, '--tag', image, '--file', join(context, 'Containerfile'), context,
  );
}
