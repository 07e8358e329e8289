/**
 * What `setup temporal` and `doctor --temporal` do on every server: run against the dev server and one on PostgreSQL.
 */
import { expect } from 'vitest';
import type { Desk } from '../cli/command.ts';

interface Step {
  readonly step: string;
  readonly state: string;
  readonly message: string;
  readonly command: string | null;
}

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly code?: string;
  readonly found: string;
}

export async function setUp(at: Desk, code: number, ...more: string[]): Promise<{ steps: Step[] }> {
  const { stdout } = await at.runs(code, ['setup', 'temporal', '--json', ...more]);
  return JSON.parse(stdout) as { steps: Step[] };
}

export async function findingsOf(at: Desk, code: number): Promise<{ findings: Finding[] }> {
  const { stdout } = await at.runs(code, ['doctor', '--temporal', '--json']);
  return { findings: JSON.parse(stdout) as Finding[] };
}

const states = ({ steps }: { steps: Step[] }): string[] => steps.map(({ state }) => state);

/** From nothing to a complete namespace: planned, done, and nothing to do the second time. */
export async function expectSetUp(at: Desk): Promise<void> {
  const before = await findingsOf(at, 1);
  expect(before.findings.some(({ code }) => code === 'TEMPORAL_NAMESPACE_MISSING')).toBe(true);
  const planned = await setUp(at, 0, '--dry-run');
  expect(states(planned)).toEqual(['planned', 'planned']);
  const commands = planned.steps.map(({ command }) => command ?? '');
  expect(commands[0]).toMatch(/^temporal operator namespace create .*--retention 30d$/);
  expect(commands[1]).toMatch(
    /^temporal operator search-attribute create .*--name Campaign --type Keyword/,
  );
  expect(states(await setUp(at, 0, '--dry-run'))).toEqual(['planned', 'planned']);
  expect(states(await setUp(at, 0))).toEqual(['done', 'done']);
  expect(states(await setUp(at, 0))).toEqual(['present', 'present', 'present']);
  expect(states(await setUp(at, 0, '--retention', '60d'))).toEqual(['present', 'done', 'present']);
  // A longer retention is never shortened.
  expect(states(await setUp(at, 0, '--retention', '10d'))).toEqual([
    'present',
    'present',
    'present',
  ]);
  const after = await findingsOf(at, 0);
  const found = Object.fromEntries(after.findings.map((one) => [one.check, one.found]));
  expect(found['Temporal']).toMatch(/server 1\.\d+/);
  expect(found['Temporal retention']).toContain('60d');
  expect(found['Temporal permissions']).toBe('workflows can be read and written');
  expect(found['Temporal workers']).toContain('none polls the task queue hundredfold');
}
