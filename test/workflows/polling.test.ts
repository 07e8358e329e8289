/** Repeated polling of a job is done by server retries, and adds nothing to the history. */
import { expect, onTestFinished, test } from 'vitest';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { Rig, sequences } from '../rig.ts';

/** The events of the only item of a campaign, and how often the server started its poll activity. */
async function itemThatRuns(jobMs: number): Promise<{ events: string[]; calls: number }> {
  const rig = await Rig.open({ engine: 'synthetic', jobMs, limit: 0 });
  onTestFinished(() => rig.close());
  const { name } = await rig.run(sequences(1));
  const history = await rig.client.workflow.getHandle(itemWorkflowId(name, 'seq-0')).fetchHistory();
  const attributes = (history.events ?? []).flatMap((event) => Object.entries(event));
  const started = (history.events ?? []).map((event) => event.activityTaskStartedEventAttributes);
  return {
    // Signals that arrive together share workflow tasks, others do not: they are left out.
    events: attributes
      .filter(([key, value]) => value && /^(?!workflowTask).*EventAttributes$/.test(key))
      .map(([key]) => key)
      .sort(),
    calls: Math.max(...started.map((one) => one?.attempt ?? 0)),
  };
}

test('a job that is polled many times has the history of one that was polled once', async () => {
  const [quick, slow] = await Promise.all([itemThatRuns(1), itemThatRuns(14_000)]);
  // An attempt polls several times, for five seconds; then the server retries.
  expect(slow.calls - quick.calls, 'more calls').toBeGreaterThanOrEqual(2);
  expect(slow.events).toEqual(quick.events);
  expect(quick.events).toContain('activityTaskCompletedEventAttributes');
});
