/** Workflow ids, readable in the UI. A colon stands in no campaign name and no item id, so they are unambiguous. */
import type { ServiceReference } from '../domain/campaign.ts';

export const campaignWorkflowId = (campaign: string): string => `campaign:${campaign}`;

export const itemWorkflowId = (campaign: string, id: string): string => `item:${campaign}:${id}`;

export const budgetWorkflowId = ({
  service,
  address,
}: Pick<ServiceReference, 'service' | 'address'>): string => `budget:${service}:${address}`;

/** The task queue of the workers that hold one token: only they can do what needs it. */
export const tokenTaskQueue = ({ service, address, credential }: ServiceReference): string =>
  `token:${service}:${address}:${credential}`;

export const DEFAULT_TASK_QUEUE = 'hundredfold';
