/** How the workflow of an item is started, by its campaign or by the activity that has its job. Pure. */
import type { SearchAttributePair } from '@temporalio/common';
import type { ItemInput } from './messages.ts';
import { ATTRIBUTES } from './search-attributes.ts';

export function itemStart({ campaign, id, kind, reference, begin }: ItemInput) {
  const typedSearchAttributes: SearchAttributePair[] = [
    { key: ATTRIBUTES.campaign, value: campaign },
    { key: ATTRIBUTES.item, value: id },
    { key: ATTRIBUTES.kind, value: kind },
    { key: ATTRIBUTES.service, value: reference.service },
    { key: ATTRIBUTES.state, value: 'running' },
    ...(begin.type === 'job' ? [{ key: ATTRIBUTES.remoteId, value: begin.remoteId }] : []),
  ];
  return {
    workflowTaskTimeout: '5s',
    staticSummary: `item ${id} (${kind}) of ${campaign}`,
    typedSearchAttributes,
  } as const;
}
