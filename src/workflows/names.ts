/**
 * Names that workflows and workers share: workflow ids, task queues, and the turns of campaigns. Campaign names and item ids contain no colon, so
 * ids are unambiguous.
 */
import type { Priority } from '@temporalio/common';
import type { ServiceReference } from '../domain/campaign.ts';

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

/**
 * Campaigns whose tasks wait in one task queue take turns, if the server has fairness enabled
 * (`matching.enableFairness`). Other servers ignore it. The workflows of items, their polls and downloads, and
 * publications have this key. Submissions have none, because the budget orders them; other activities are short.
 */
export function withFairness(campaign: string): { readonly priority: Priority } {
  return { priority: { fairnessKey: campaign } };
}
