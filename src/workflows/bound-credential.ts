/**
 * An item of a campaign with several credentials keeps the one that it was submitted with. Only that one sees its job,
 * and the name of a job is unique to a credential: sent again with another one, it would be a second job.
 */
import type { ItemInput } from './messages.ts';
import { fetchTaskQueue } from './names.ts';

type Binding = Pick<ItemInput, 'reference' | 'fetchQueue' | 'others'>;

export function boundTo<T extends Binding>(input: T, credential: string): Omit<T, 'others'> {
  const { others: _, ...bound } = input;
  const reference = { ...input.reference, credential };
  return {
    ...bound,
    reference,
    ...(input.fetchQueue !== undefined && { fetchQueue: fetchTaskQueue(reference) }),
  };
}
