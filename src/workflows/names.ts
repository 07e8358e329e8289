/** Names that workflows and workers share: workflow ids, task queues and search attributes. */
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  type SearchAttributePair,
} from '@temporalio/common';
import type { ServiceReference, ServiceName } from '../domain/campaign.ts';
import type { ItemInput } from './messages.ts';

/** Campaign names and item ids contain no colon, so ids are unambiguous. */
export const buildCampaignWorkflowId = (campaign: string): string => `campaign:${campaign}`;

export const buildItemWorkflowId = (campaign: string, id: string): string =>
  `item:${campaign}:${id}`;

export const buildBudgetWorkflowId = ({ service, address, credential }: ServiceReference): string =>
  `budget:${service}:${address}:${credential}`;

/** Task queues of the workers that hold one token, and of those that publish, where users share a Temporal. */
export const submitTaskQueue = ({ service, address, credential }: ServiceReference): string =>
  `submit:${service}:${address}:${credential}`;

export const fetchTaskQueue = ({ service, address, credential }: ServiceReference): string =>
  `fetch:${service}:${address}:${credential}`;

export const publishTaskQueue = (taskQueue: string): string => `publish:${taskQueue}`;

/** What a worker of a shared Temporal does; by default everything. */
export const ROLES = ['submit', 'fetch', 'publish', 'workflows'] as const;
export type Role = (typeof ROLES)[number];

export const DEFAULT_TASK_QUEUE = 'hundredfold';

const defineKeyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** Every row of a manifest is a line in the Temporal UI. SQL stores allow ten Keyword attributes a namespace. */
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

/** The same for the items of a campaign with this status of their workflow. */
export function buildItemQuery(campaign: string, status: 'Running' | 'Completed'): string {
  return `WorkflowType="item" AND ${ATTRIBUTES.campaign.name}="${campaign}" AND ExecutionStatus="${status}"`;
}
