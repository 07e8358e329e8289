/**
 * The search attributes of our workflows, and the filters that use them: every row of a manifest is a line in the
 * Temporal UI that can be searched for. SQL visibility stores allow ten Keyword attributes a namespace; these are eight.
 */
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  type SearchAttributePair,
} from '@temporalio/common';
import type { ServiceName } from '../domain/item.ts';
import type { ItemInput } from './messages.ts';

const defineKeyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const ATTRIBUTES = {
  campaign: defineKeyword('Campaign'),
  item: defineKeyword('Item'),
  kind: defineKeyword('Kind'),
  state: defineKeyword('State'),
  service: defineKeyword('Service'),
  credential: defineKeyword('Credential'),
  remoteId: defineKeyword('RemoteId'),
  errorCode: defineKeyword('ErrorCode'),
} as const;

export const ATTRIBUTE_NAMES: readonly string[] = Object.values(ATTRIBUTES).map(({ name }) => name);

/** How the workflow of an item is started, by its campaign or by the activity that has its job. */
export function buildItemStart({ campaign, id, kind, reference, begin }: ItemInput) {
  const typedSearchAttributes: SearchAttributePair[] = [
    { key: ATTRIBUTES.campaign, value: campaign },
    { key: ATTRIBUTES.item, value: id },
    { key: ATTRIBUTES.kind, value: kind },
    { key: ATTRIBUTES.service, value: reference.service },
    { key: ATTRIBUTES.credential, value: reference.credential },
    { key: ATTRIBUTES.state, value: 'running' },
    ...(begin.type === 'job' ? [{ key: ATTRIBUTES.remoteId, value: begin.remoteId }] : []),
  ];
  return {
    workflowTaskTimeout: '5s',
    staticSummary: `item ${id} (${kind}) of ${campaign}`,
    typedSearchAttributes,
  } as const;
}

/** What a workflow must have; absent conditions do not count. */
interface Conditions {
  readonly taskQueue?: string;
  /** Items of this campaign. */
  readonly campaign?: string | undefined;
  /** Items of this service. */
  readonly service?: ServiceName;
  /** Items whose job is of this token. */
  readonly credential?: string;
  /** Items in this state. */
  readonly state?: string;
}

/** The list filter of Temporal for running workflows of these types. */
export function buildRunningQuery(
  types: readonly ('budget' | 'campaign' | 'item')[],
  { taskQueue, campaign, service, credential, state }: Conditions = {},
): string {
  const is = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`${name}="${value}"`];
  return [
    `WorkflowType IN (${types.map((type) => `"${type}"`).join(', ')})`,
    ...is('ExecutionStatus', 'Running'),
    ...is('TaskQueue', taskQueue),
    ...is(ATTRIBUTES.campaign.name, campaign),
    ...is(ATTRIBUTES.service.name, service),
    ...is(ATTRIBUTES.credential.name, credential),
    ...is(ATTRIBUTES.state.name, state),
  ].join(' AND ');
}
