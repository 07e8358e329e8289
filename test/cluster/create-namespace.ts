/** Prepares a namespace as docs/cluster.md says, with the Temporal CLI, and reads what `doctor` finds. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Finding } from '../../src/runner/doctor.ts';
import { requireTemporalCli } from '../shared-cli.ts';
import type { Desk } from '../cli/command.ts';

interface Place {
  readonly address: string;
  readonly namespace: string;
  /** The words before the command, to enter another host. */
  readonly enter?: readonly string[];
}

export function createNamespace(place: Place): void {
  operator(place, ['namespace', 'create', '--retention', '30d']);
}

function operator({ address, namespace, enter = [] }: Place, words: string[]): void {
  const where = ['--address', address, '--namespace', namespace];
  const [program = '', ...args] = [...enter, requireTemporalCli(), 'operator', ...words, ...where];
  execFileSync(program, args, { stdio: 'pipe' });
}

function succeeds(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

export async function findingsOf(at: Desk, code: number): Promise<readonly Finding[]> {
  const { stdout } = await at.runs(code, ['doctor', '--services', 'local', '--json']);
  return JSON.parse(stdout) as Finding[];
}

/** From nothing to a complete namespace: on the dev server, and on PostgreSQL. */
export async function expectPrepared(at: Desk, place: Place): Promise<void> {
  const code = 'TEMPORAL_NAMESPACE_MISSING';
  expect(await findingsOf(at, 1)).toContainEqual(expect.objectContaining({ ok: false, code }));
  createNamespace(place);
  // As the page says for an administrator; a worker would add them, too.
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cluster.md'), 'utf8');
  const [, names = ''] = /search-attribute create --namespace lab (.+)$/m.exec(page) ?? [];
  const add = () => operator(place, ['search-attribute', 'create', ...names.split(' ')]);
  // A server on SQL knows a new namespace after some seconds.
  await expect.poll(() => succeeds(add), { timeout: 30_000 }).toBe(true);
  const usable = async () => (await findingsOf(at, 0)).map(({ check }) => check);
  // It knows them after some seconds more.
  await expect.poll(usable, { timeout: 60_000 }).toContain('Temporal search attributes');
  const found = Object.fromEntries((await findingsOf(at, 0)).map((one) => [one.check, one.found]));
  expect(found['Temporal']).toMatch(/server 1\.\d+/);
  expect(found['Temporal workers']).toContain('none works on the task queue hundredfold');
}
