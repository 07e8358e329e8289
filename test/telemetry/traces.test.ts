/** Traces of real workers, as received by a collector. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { isSampled } from '../../src/telemetry/sampling.ts';
import { isTracingWanted } from '../../src/telemetry/tracing.ts';
import { desk } from '../cli/command.ts';
import { fragments } from '../cli/manifests.ts';
import { noItemLost } from '../promises.ts';
import { Collector, type CollectedSpan } from './collector.ts';
import { scene, services, TOKEN } from './operated-worker.ts';

test('every item has one trace, also from two workers, with the POST as a separate span', async () => {
  const at = desk();
  const collector = await Collector.open();
  const set = await scene(at, inject('temporal'));
  const { name } = set;
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=lab',
    OTEL_SERVICE_NAME: 'night-shift',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  };
  const env = { ...set.env, ...otel };
  const ids = fragments(at, name, 5);
  await services(at, set);
  const workers = [at.type(['worker'], { env }), at.type(['worker'], { env })];
  for (const worker of workers) await worker.says('working for');
  await at.runs(0, ['run', `${name}.csv`, '--no-worker'], { env });
  for (const worker of workers) worker.kill('SIGTERM');
  for (const worker of workers) await worker.endsWith(0);
  await noItemLost(at.path('results', name), ids);

  for (const id of ids) {
    const item = itemWorkflowId(name, id);
    const [of] = collector.spans.filter(
      ({ attributes }) => attributes['hundredfold.item'] === item,
    );
    isOneTree(
      collector.spans.filter(({ traceId }) => traceId === of?.traceId),
      item,
    );
  }
  isCampaign(collector.spans, name);
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(ids.length + 1);
  const spanIds = collector.spans.map(({ spanId }) => spanId);
  expect(new Set(spanIds).size, 'no span is sent twice').toBe(spanIds.length);
  for (const { resource } of collector.spans) expect(resource['service.name']).toBe('night-shift');
  expect(collector.headers[0]?.['x-tenant']).toBe('lab');
  const sent = collector.bodies.join('');
  expect(sent, 'a token').not.toContain(TOKEN);
  expect(sent, 'a body').not.toContain('smiles');
}, 120_000);

/** A separate trace: the start by the command, with the runs of the workflow below it. */
function isCampaign(spans: readonly CollectedSpan[], name: string): void {
  const runs = spans.filter((span) => span.name === 'RunWorkflow:campaign');
  expect(runs.length).toBeGreaterThan(0);
  const own = spans.filter(({ traceId }) => traceId === runs[0]?.traceId);
  const [start, ...more] = own.filter(({ parentSpanId }) => parentSpanId === null);
  expect(more).toEqual([]);
  expect(start).toMatchObject({
    name: 'StartWorkflow:campaign',
    attributes: { 'hundredfold.workflow': `campaign:${name}` },
  });
  expect(own).toHaveLength(runs.length + 1);
  for (const run of runs) {
    expect(run.parentSpanId).toBe(start?.spanId);
    expect(run.attributes['hundredfold.campaign']).toBe(name);
  }
  const outcomes = runs.map(({ attributes }) => attributes['hundredfold.outcome']);
  expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(1);
}

function isOneTree(spans: readonly CollectedSpan[], item: string): void {
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null);
  expect(roots, `roots of ${item}`).toHaveLength(1);
  const [root] = roots;
  expect(root).toMatchObject({
    name: 'Item',
    attributes: { 'hundredfold.item': item, 'hundredfold.state': 'succeeded' },
  });
  const known = new Set(spans.map(({ spanId }) => spanId));
  for (const span of spans) {
    if (span === root) continue;
    expect(known, `the parent of ${span.name}`).toContain(span.parentSpanId);
    // The root begins when the POST was sent, in the middle of the submission.
    const isSubmission = ['RunActivity:submit', 'POST molecules'].includes(span.name);
    const begun = isSubmission ? span.endedAt : span.startedAt;
    expect(begun).toBeGreaterThanOrEqual((root?.startedAt ?? 0) - 1);
    // The workflow ends after the activity that has written the end of the item.
    expect(span.endedAt).toBeLessThanOrEqual((root?.endedAt ?? 0) + 10_000);
  }
  const names = spans.map((span) => span.name);
  const runs = spans.filter((span) => span.name === 'RunWorkflow:item');
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({
    parentSpanId: root?.spanId,
    attributes: { 'hundredfold.item': item, 'hundredfold.outcome': 'completed' },
  });
  const starts = spans.filter((span) => span.name === 'StartWorkflow:item');
  expect(starts).toHaveLength(1);
  const starter = spans.find(({ spanId }) => spanId === starts[0]?.parentSpanId);
  expect(starter?.name).toBe('RunActivity:submit');
  for (const activity of ['submit', 'finishJob'])
    expect(names).toContain(`RunActivity:${activity}`);
  const posts = spans.filter((span) => span.name === 'POST molecules');
  expect(posts).toHaveLength(1);
  expect(posts[0]?.attributes).toEqual({
    'hundredfold.service': 'molecules',
    'hundredfold.operation': 'submit',
    'hundredfold.outcome': 'accepted',
    'http.response.status_code': expect.any(Number) as number,
  });
  const parent = spans.find(({ spanId }) => spanId === posts[0]?.parentSpanId);
  expect(parent?.name).toBe('RunActivity:submit');
}

test('an unsupported protocol is refused with a code', async () => {
  const at = desk();
  const { env } = await scene(at, inject('temporal'));
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  const { stderr } = await at.runs(2, ['worker'], { env: { ...env, ...otel } });
  expect(stderr).toContain('[CONFIG_OTLP_PROTOCOL]');
});

test('without a collector only the API of OpenTelemetry is loaded', async () => {
  // prom-client brings the API.
  const program = `
    import { createRequire } from 'node:module';
    await import('./src/worker.ts');
    const { openTracing } = await import('./src/telemetry/tracing.ts');
    const tracing = await openTracing({});
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log(JSON.stringify({ tracing, some: loaded.length > 100, otel: loaded.filter((path) => /opentelemetry\\/(?!api\\/)/.test(path)) }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program,
  ]);
  expect(JSON.parse(stdout)).toEqual({ tracing: null, some: true, otel: [] });
});

test.each([
  ['nothing is set', {}, false],
  ['a collector is named', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, true],
  [
    'a collector for traces is named',
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/v1/traces' },
    true,
  ],
  ['the address of the collector is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [
    'the SDK is disabled',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' },
    false,
  ],
  [
    'traces are not exported',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' },
    false,
  ],
])('traces: %s', (_, environment, wanted) => {
  expect(isTracingWanted(environment)).toBe(wanted);
});

test('a sampler keeps its share of the items, the same in every worker', () => {
  const ids = Array.from({ length: 2_000 }, (_, n) => {
    // As version 7 of UUIDs: the time in front, random bits behind it.
    const random = Array.from({ length: 20 }, () => Math.floor(Math.random() * 16).toString(16));
    return `0199a3f4${n.toString(16).padStart(4, '0')}${random.join('')}`;
  });
  const kept = (sampler: string | undefined, argument?: string): number =>
    ids.filter((id) => isSampled(id, { sampler, argument })).length;
  expect(kept(undefined)).toBe(2_000);
  expect(kept('parentbased_always_off')).toBe(0);
  for (const sampler of ['traceidratio', 'parentbased_traceidratio']) {
    expect(kept(sampler, '0.25')).toBeGreaterThan(400);
    expect(kept(sampler, '0.25')).toBeLessThan(600);
  }
  expect(kept('traceidratio', 'much')).toBe(2_000);
});
