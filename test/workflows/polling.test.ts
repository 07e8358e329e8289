/** Asking a job for its progress again and again is the server's doing, and leaves nothing in the history. */
import { expect, onTestFinished, test } from 'vitest';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { Rig, sequences } from '../rig.ts';

/** What happened to the only item of a campaign, and how often its job was asked for. */
async function itemThatRuns(jobMs: number): Promise<{ events: string[]; polls: number }> {
  const rig = await Rig.open({ engine: 'synthetic', jobMs, limit: 0 });
  onTestFinished(() => rig.close());
  const { name } = await rig.run(sequences(1));
  const history = await rig.client.workflow.getHandle(itemWorkflowId(name, 'seq-0')).fetchHistory();
  const attributes = (history.events ?? []).flatMap((event) => Object.entries(event));
  const started = (history.events ?? []).map((event) => event.activityTaskStartedEventAttributes);
  return {
    // Signals that come together share workflow tasks, others do not: they are left out.
    events: attributes
      .filter(([key, value]) => value && /^(?!workflowTask).*EventAttributes$/.test(key))
      .map(([key]) => key)
      .sort(),
    polls: Math.max(...started.map((one) => one?.attempt ?? 0)),
  };
}

test('a job that is asked for many times has the history of one that was asked for once', async () => {
  const [quick, slow] = await Promise.all([itemThatRuns(1), itemThatRuns(4_000)]);
  expect(slow.polls - quick.polls, 'more answers of 202').toBeGreaterThanOrEqual(5);
  expect(slow.events).toEqual(quick.events);
  expect(quick.events).toContain('activityTaskCompletedEventAttributes');
});
