/** Dashboard, alert rules and their page: the metrics that they name exist in a real worker and in the docs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { desk, ROOT } from '../cli/command.ts';
import { fragments } from '../cli/manifests.ts';
import { endpointOf, metricsOf, scene, services } from './operated-worker.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const RULES = 'deploy/prometheus/hundredfold.rules.yml';
const TESTS = 'deploy/prometheus/hundredfold.test.yml';

const rules = z
  .object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            alert: z.string(),
            expr: z.string(),
            annotations: z.record(z.string(), z.string()),
          }),
        ),
      }),
    ),
  })
  .parse(parse(read(RULES)))
  .groups.flatMap((group) => group.rules);

const dashboard = z
  .object({
    panels: z.array(
      z.object({
        id: z.number(),
        title: z.string(),
        targets: z.array(z.object({ expr: z.string() })).default([]),
      }),
    ),
    templating: z.object({
      list: z.array(z.object({ query: z.union([z.string(), z.object({ query: z.string() })]) })),
    }),
  })
  .parse(JSON.parse(read('deploy/grafana/hundredfold.json')));

const expressions = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.map(({ query }) =>
    typeof query === 'string' ? query : query.query,
  ),
];

/** Names of metrics, and the labels they are selected by. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const found = expression.matchAll(
    /\b((?:hundredfold|temporal|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g,
  );
  return [...found].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
}

/** Name → its labels, from a worker that has run a campaign. */
async function emittedByWorker(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const at = desk();
  const set = await scene(at, inject('temporal'));
  await services(at, set);
  fragments(at, set.name, 3);
  const worker = at.type(['worker'], { env: set.env });
  const url = await endpointOf(worker);
  await worker.says('working for');
  await at.runs(0, ['run', `${set.name}.csv`, '--no-worker'], { env: set.env });
  const emitted = new Map<string, Set<string>>();
  for (const { name, labels } of (await metricsOf(url)).samples) {
    const known = emitted.get(name) ?? new Set();
    for (const label of Object.keys(labels)) known.add(label);
    emitted.set(name, known);
  }
  worker.kill('SIGTERM');
  await worker.endsWith(0);
  return emitted;
}

test('a real worker emits every metric that rules, panels and docs/workers.md name, with its labels', async () => {
  const emitted = await emittedByWorker();
  const named = expressions.flatMap(metricsIn);
  expect(named.length).toBeGreaterThan(40);
  for (const { name, labels } of named) {
    expect([...emitted.keys()], `metric ${name}`).toContain(name);
    for (const label of labels) expect([...(emitted.get(name) ?? [])], name).toContain(label);
  }
  const page = read('docs/workers.md').matchAll(/^\| `(hundredfold_[a-z_]+)`/gm);
  const listed = [...page].map(([, name = '']) => name);
  const ours = [...emitted.keys()]
    .filter((name) => name.startsWith('hundredfold_'))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect([...new Set(ours)].sort()).toEqual(listed.sort());
}, 90_000);

test('every alert has its section in docs/alerts.md, and every section its alert', () => {
  const sections = [...read('docs/alerts.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(rules.map(({ alert }) => alert).sort()).toEqual(sections.sort());
  for (const { alert, annotations } of rules)
    expect(annotations['runbook']).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
});

test('panels of the dashboard have unique ids and titles', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { title } of dashboard.panels) expect(title).not.toBe('');
});

describe('promtool', () => {
  const promtool = process.env['PROMTOOL'] ?? onPath() ?? '';

  test.skipIf(promtool === '')(
    'accepts the rules, and their unit tests pass (skipped without promtool: PROMTOOL=PATH)',
    () => {
      const ran = (...args: string[]): string =>
        execFileSync(promtool, args, { cwd: ROOT, encoding: 'utf8' });
      expect(ran('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toContain('SUCCESS');
      expect(ran('test', 'rules', TESTS)).toContain('SUCCESS');
    },
  );

  test('the unit tests cover every alert', () => {
    const tested = new Set(
      [...read(TESTS).matchAll(/alertname: (\w+)$/gm)].map(([, name]) => name),
    );
    expect([...tested].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });
});

function onPath(): string | null {
  const own = join(ROOT, '.tools', 'promtool');
  if (existsSync(own)) return own;
  return spawnSync('promtool', ['--version']).status === 0 ? 'promtool' : null;
}
