/** Workflow ids, readable in the UI. Campaign names and item ids contain no colon, so they are unambiguous. */
import type { ServiceReference } from '../domain/campaign.ts';

export const campaignWorkflowId = (campaign: string): string => `campaign:${campaign}`;

export const itemWorkflowId = (campaign: string, id: string): string => `item:${campaign}:${id}`;

export const budgetWorkflowId = ({
  service,
  address,
}: Pick<ServiceReference, 'service' | 'address'>): string => `budget:${service}:${address}`;

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
