/** How the workflow of an item is started, by its campaign or by the activity that has submitted its job. Pure. */
import type { SearchAttributePair } from '@temporalio/common';
import type { OpenState } from '../domain/states.ts';
import type { ItemInput } from './messages.ts';
import { ATTRIBUTES } from './search-attributes.ts';

/** @param remoteId the job, where it has one already */
export function itemStart(
  { campaign, id, kind, reference }: ItemInput,
  state: OpenState,
  remoteId?: string,
) {
  const typedSearchAttributes: SearchAttributePair[] = [
    { key: ATTRIBUTES.campaign, value: campaign },
    { key: ATTRIBUTES.item, value: id },
    { key: ATTRIBUTES.kind, value: kind },
    { key: ATTRIBUTES.service, value: reference.service },
    { key: ATTRIBUTES.state, value: state },
    ...(remoteId === undefined ? [] : [{ key: ATTRIBUTES.remoteId, value: remoteId }]),
  ];
  return {
    workflowTaskTimeout: '5s',
    staticSummary: `item ${id} (${kind}) of ${campaign}`,
    typedSearchAttributes,
  } as const;
}
