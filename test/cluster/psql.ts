/** Statements for the PostgreSQL of a test cluster, through psql as an administrator uses it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../cli/command.ts';
import type { Place } from './hosts/network.ts';
import type { Cluster } from './temporal-on-postgres.ts';

type Database = 'temporal' | 'visibility';

/**
 * @param at host of the database; default: here
 * @returns what it prints, unaligned and without headings
 */
export function psql(
  { postgres }: Pick<Cluster, 'postgres'>,
  database: Database,
  words: readonly string[],
  at?: Place,
): string {
  const server = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'temporal', '-d', database];
  const [program = '', ...rest] = [...(at?.enter ?? []), 'psql', ...server];
  return execFileSync(program, [...rest, '-v', 'ON_ERROR_STOP=1', '-At', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export const UNUSED_INDEXES = join(
  ROOT,
  'deploy',
  'postgresql',
  'drop-unused-visibility-indexes.sql',
);
