/**
 * Task queue fairness: what we tell the server, so that campaigns take turns where their tasks wait for a worker. Which
 * task goes next is its decision, and a matter of chance.
 */
import { expect, test } from 'vitest';
import { campaignWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { molecules, sequences } from '../rig.ts';
import { openRig } from './faulty.ts';

test('items, their activities and the publication have the campaign as their fairness key', async () => {
  const rig = await openRig();
  const { name, ids } = await rig.run([...sequences(1), ...molecules(1)]);
  const keysOf = async (id: string) => {
    const { events } = await rig.client.workflow.getHandle(id).fetchHistory();
    const begun = events?.[0]?.workflowExecutionStartedEventAttributes?.priority?.fairnessKey;
    const activities = (events ?? []).flatMap((event) => {
      const { activityType, priority } = event.activityTaskScheduledEventAttributes ?? {};
      return activityType ? [[activityType.name, priority?.fairnessKey]] : [];
    });
    return { begun, activities };
  };
  for (const id of ids) {
    const { begun, activities } = await keysOf(itemWorkflowId(name, id));
    expect(begun, id).toBe(name);
    expect(activities, id).toContainEqual(['finishJob', name]);
  }
  const { activities } = await keysOf(campaignWorkflowId(name));
  expect(activities).toContainEqual(['publish', name]);
});
