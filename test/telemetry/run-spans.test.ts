/** Spans of workflow runs and of Temporal calls, of workers of this process. */
import { expect, onTestFinished, test } from 'vitest';
import type { CampaignProgress } from '../../src/domain/campaign.ts';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { Rig, sequences } from '../rig.ts';
import { Collector, type CollectedSpan } from './collector.ts';

test('each run is one span, also when another worker replays it', async () => {
  const collector = await Collector.open();
  // Not in `process.env`: a program may give the library other variables.
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, environment });
  onTestFinished(() => rig.close());
  const { name, handle, ids } = await rig.start(sequences(3));
  await handle.result();
  await rig.stopWorker();
  await rig.startWorker();
  // For a workflow that has ended: the new worker replays its whole last run to answer.
  expect(await handle.query<CampaignProgress>('progress')).toMatchObject({ state: 'completed' });
  await rig.stopWorker();

  const { spans } = collector;
  const named = (wanted: string): CollectedSpan[] => spans.filter((one) => one.name === wanted);
  // A worker that stops waits for the collector at most 5 s; the rest arrives later.
  for (const wanted of ['Item', 'RunWorkflow:item'])
    await expect.poll(() => named(wanted).length, { timeout: 60_000 }).toBe(ids.length);
  const spanIds = spans.map(({ spanId }) => spanId);
  expect(new Set(spanIds).size, 'no span is sent twice').toBe(spanIds.length);
  const runs = named('RunWorkflow:campaign');
  const outcomes = runs.map(({ attributes }) => attributes['hundredfold.outcome']);
  expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(1);
  const [start, ...others] = named('StartWorkflow:campaign');
  expect(others).toEqual([]);
  expect(start?.attributes).toEqual({ 'hundredfold.workflow': `campaign:${name}` });
  for (const { parentSpanId, traceId } of runs)
    expect([parentSpanId, traceId]).toEqual([start?.spanId, start?.traceId]);

  const items = named('Item');
  expect(items).toHaveLength(ids.length);
  for (const id of ids) {
    const item = itemWorkflowId(name, id);
    const root = items.find(({ attributes }) => attributes['hundredfold.item'] === item);
    const own = spans.filter(({ traceId }) => traceId === root?.traceId);
    const run = own.filter((span) => span.name === 'RunWorkflow:item');
    expect(run.map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId]);
    expect(run[0]?.attributes).toMatchObject({
      'hundredfold.campaign': name,
      'hundredfold.item': item,
      'hundredfold.outcome': 'completed',
    });
    const starts = own.filter((span) => span.name === 'StartWorkflow:item');
    const submit = own.find((span) => span.name === 'RunActivity:submit');
    expect(starts.map(({ parentSpanId }) => parentSpanId)).toEqual([submit?.spanId]);
  }
}, 240_000);
