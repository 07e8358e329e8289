/**
 * The endpoint of a real worker process: metrics of the SDK and of our own, health and readiness. Dashboard, alert rules
 * and docs/workers.md name the metrics that it has, and no others.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { noItemLost } from '../promises.ts';
import { startProxy } from '../crash/proxy.ts';
import { desk, ROOT } from '../cli/command.ts';
import { fragments } from '../cli/manifests.ts';
import {
  endpointOf,
  get,
  metricsOf,
  scene,
  services,
  TOKEN,
  valueOf,
  type Sample,
  WORKER,
} from './operated-worker.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const RULES = 'deploy/prometheus/hundredfold.rules.yml';
const TESTS = 'deploy/prometheus/hundredfold.test.yml';

const expr = z.object({ expr: z.string() });
const rules = z
  .object({ groups: z.array(z.object({ rules: z.array(expr) })) })
  .parse(parse(read(RULES)))
  .groups.flatMap((group) => group.rules);

const query = z.union([z.string(), z.object({ query: z.string() })]);
const dashboard = z
  .object({
    panels: z.array(z.object({ targets: z.array(expr).default([]) })),
    templating: z.object({ list: z.array(z.object({ query })) }),
  })
  .parse(JSON.parse(read('deploy/grafana/hundredfold.json')));

const expressions = [
  ...[...rules, ...dashboard.panels.flatMap(({ targets }) => targets)].map((one) => one.expr),
  ...dashboard.templating.list.map((one) =>
    typeof one.query === 'string' ? one.query : one.query.query,
  ),
];

/** Names of metrics, and the labels they are selected by. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const found = expression.matchAll(/\b((?:hundredfold|temporal)_[a-z0-9_]+)(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
}

test('a worker exports its work, the state of its budget, and its readiness', async () => {
  const at = desk();
  const set = await scene(at, inject('temporal'));
  const { name, env } = set;
  const ids = fragments(at, name, 6);
  await services(at, set);
  const worker = at.type([...WORKER, '--log-format', 'json'], { env });
  const url = await endpointOf(worker);
  expect(await get(`${url}/healthz`)).toEqual({ status: 200, text: 'ok\n' });
  await worker.says('working for');
  await expect
    .poll(() => get(`${url}/readyz`), { timeout: 10_000 })
    .toEqual({ status: 200, text: 'ready\n' });

  await at.runs(0, ['run', `${name}.csv`, '--no-worker'], { env });
  await noItemLost(at.path('results', name), ids);

  const { text, samples } = await metricsOf(url);
  const value = (metric: string, labels = {}) => valueOf(samples, metric, labels);
  const molecules = { service: 'molecules' };
  const request = 'hundredfold_service_request_duration_seconds_count';
  const submitted = { ...molecules, operation: 'submit', outcome: 'accepted' };
  const succeeded = { kind: 'molecule', state: 'succeeded', code: '' };
  expect(value('hundredfold_items_ended_total', succeeded)).toBe(6);
  expect(value(request, submitted)).toBe(6);
  expect(value(request, { ...molecules, operation: 'poll' })).toBeGreaterThan(0);
  expect(value('hundredfold_store_errors_total', { code: 'STORE_FULL' })).toBe(0);
  expect(value('hundredfold_budget_slots', { ...molecules, state: 'charged' })).toBe(6);
  expect(value('hundredfold_budget_slots', { ...molecules, state: 'free' })).toBe(44);
  expect(value('hundredfold_budget_slots_limit', molecules)).toBe(50);
  expect(value('hundredfold_budget_next_slot_seconds', molecules)).toBe(0);
  expect(value('hundredfold_budget_refused', molecules)).toBe(0);
  expect(value('hundredfold_items_held')).toBe(0);
  expect(value('hundredfold_task_queue_backlog', { task_queue: name, type: 'workflow' })).toBe(0);
  expect(value('hundredfold_temporal_reachable')).toBe(1);
  expect(value('hundredfold_worker_ready')).toBe(1);
  expect(value('hundredfold_publications_total', { outcome: 'ok' })).toBe(1);
  // The SDK's own, with units in their names, as required by Prometheus.
  expect(value('temporal_activity_execution_latency_seconds_count')).toBeGreaterThan(0);

  expect(text, 'a token').not.toContain(TOKEN);
  for (const { labels } of samples)
    expect(Object.values(labels).join(' ')).not.toMatch(/item:|frag/);
  expect(new Set(text.match(/^# TYPE \S+/gm)).size).toBe(text.match(/^# TYPE /gm)?.length);

  // Every line of the log is one JSON document; the end of each item names its campaign and item.
  const lines = worker.stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ends = lines.filter(({ message }) => message === 'item ended');
  expect(ends.map(({ item }) => item).sort()).toEqual(ids.map((id) => `item:${name}:${id}`).sort());
  const about = { level: 'INFO', campaign: name, service: 'molecules', state: 'succeeded' };
  for (const end of ends) expect(end).toMatchObject(about);

  namesAllMetrics(samples);

  const { stderr } = await at.runs(2, ['worker', '--metrics-port', new URL(url).port], { env });
  expect(stderr, 'of a second worker, whose port is in use').toContain('[METRICS_PORT]');
  worker.kill('SIGTERM');
  await worker.endsWith(0);
});

/** Rules, panels and page name these metrics by their names and labels, and the page names all of ours. */
function namesAllMetrics(samples: readonly Sample[]): void {
  const emitted = new Map<string, Set<string>>();
  for (const { name, labels } of samples) {
    const known = emitted.get(name) ?? new Set();
    for (const label of Object.keys(labels)) known.add(label);
    emitted.set(name, known);
  }
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
}

test('a worker is not ready while Temporal cannot be reached, but stays alive', async () => {
  const at = desk();
  const door = await startProxy(Number(inject('temporal').split(':').at(-1)));
  onTestFinished(() => door.close());
  const { env } = await scene(at, `127.0.0.1:${door.port}`);
  const worker = at.type(WORKER, { env });
  const url = await endpointOf(worker);
  await worker.says('working for');
  await expect.poll(async () => (await get(`${url}/readyz`)).status, { timeout: 10_000 }).toBe(200);

  door.set('hang');
  await expect
    .poll(() => get(`${url}/readyz`), { timeout: 15_000 })
    .toEqual({ status: 503, text: 'Temporal does not answer\n' });
  expect((await get(`${url}/healthz`)).status).toBe(200);
  const { samples } = await metricsOf(url);
  expect(valueOf(samples, 'hundredfold_worker_ready')).toBe(0);

  door.set('pass');
  await expect.poll(async () => (await get(`${url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
  worker.kill('SIGTERM');
  await worker.endsWith(0);
});

const promtool = process.env['PROMTOOL'] ?? onPath() ?? '';

test.skipIf(promtool === '')(
  'promtool accepts the rules, and their unit tests pass (skipped without: PROMTOOL=PATH)',
  () => {
    const ran = (...args: string[]): string =>
      execFileSync(promtool, args, { cwd: ROOT, encoding: 'utf8' });
    expect(ran('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toContain('SUCCESS');
    expect(ran('test', 'rules', TESTS)).toContain('SUCCESS');
  },
);

function onPath(): string | null {
  const own = join(ROOT, '.tools', 'promtool');
  if (existsSync(own)) return own;
  return spawnSync('promtool', ['--version']).status === 0 ? 'promtool' : null;
}
