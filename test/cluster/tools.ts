/**
 * Programs that the cluster tests need and npm does not install: a Temporal server, its SQL tool and PostgreSQL. Each
 * is searched in its environment variable, in `.tools/cluster/`, on PATH, and where Debian installs PostgreSQL.
 */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface ClusterTools {
  readonly temporalServer: string;
  readonly sqlTool: string;
  /** Folder with initdb and postgres. */
  readonly postgres: string;
}

/** The tools, or what is missing and how to set it. */
export function clusterTools(environment: NodeJS.ProcessEnv = process.env): ClusterTools | string {
  const { TEMPORAL_SERVER, TEMPORAL_SQL_TOOL, POSTGRES_BIN } = environment;
  const temporalServer = TEMPORAL_SERVER ?? find('temporal-server', environment);
  const sqlTool = TEMPORAL_SQL_TOOL ?? find('temporal-sql-tool', environment);
  const postgres = POSTGRES_BIN ?? postgresFolder(environment);
  if (temporalServer === null)
    return 'no temporal-server: set TEMPORAL_SERVER (go install go.temporal.io/server/cmd/server@v1.32.1)';
  if (sqlTool === null)
    return 'no temporal-sql-tool: set TEMPORAL_SQL_TOOL (go install go.temporal.io/server/cmd/tools/sql@v1.32.1)';
  if (postgres === null) return 'no PostgreSQL: set POSTGRES_BIN to the folder of initdb';
  return { temporalServer, sqlTool, postgres };
}

/** The folder of initdb: on PATH, or where Debian installs it. */
export function postgresFolder({ PATH = '' }: NodeJS.ProcessEnv): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort().toReversed() : [];
  const folders = [...PATH.split(delimiter), ...versions.map((one) => join(debian, one, 'bin'))];
  return folders.find((folder) => isExecutable(join(folder, 'initdb'))) ?? null;
}

function find(name: string, { PATH = '' }: NodeJS.ProcessEnv): string | null {
  const folders = [join(ROOT, '.tools', 'cluster'), ...PATH.split(delimiter)];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  return found ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
