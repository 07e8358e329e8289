/** Why open items wait: the words of the activity of each that the server tries again (activities/retry.ts). */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { HINDERED } from '../activities/retry.ts';
import { ATTRIBUTES, runningWorkflows } from '../workflows/search-attributes.ts';

/** Items that are asked at a time. */
const AT_ONCE = 16;

/** By the id of the item; `most`: of so many of the open items, whichever. */
export async function readHindrances(
  client: Client,
  campaign: string,
  most: number,
): Promise<Map<string, string>> {
  const query = runningWorkflows(['item'], { campaign });
  const open: { readonly id: string; readonly workflowId: string }[] = [];
  for await (const { workflowId, typedSearchAttributes } of client.workflow.list({ query })) {
    open.push({ id: typedSearchAttributes.get(ATTRIBUTES.item) ?? workflowId, workflowId });
    if (open.length === most) break;
  }
  const hindered = new Map<string, string>();
  for (let at = 0; at < open.length; at += AT_ONCE)
    await Promise.all(
      open.slice(at, at + AT_ONCE).map(async ({ id, workflowId }) => {
        const words = hindranceIn(await client.workflow.getHandle(workflowId).describe());
        if (words !== null) hindered.set(id, words);
      }),
    );
  return hindered;
}

function hindranceIn({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): string | null {
  for (const { lastFailure } of raw.pendingActivities ?? []) {
    const type = lastFailure?.applicationFailureInfo?.type ?? '';
    if (type === HINDERED || /^(STORE|TREE)_/.test(type)) return lastFailure?.message ?? null;
  }
  return null;
}

/** Ids that are named. */
const NAMED = 3;

/** A sentence for each reason, the most frequent first; null if nothing hinders an item. */
export function hindranceWords(hindered: ReadonlyMap<string, string>): string | null {
  const byReason = Map.groupBy(hindered.keys(), (id) => hindered.get(id) ?? '');
  const sentences = [...byReason]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([reason, ids]) => {
      const named = ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ', …' : '');
      const count = ids.length === 1 ? '1 item waits' : `${ids.length} items wait`;
      return `${count} (${named}): ${reason.replace(/\.\s*$/, '')}.`;
    });
  return sentences.length === 0 ? null : sentences.join(' ');
}
