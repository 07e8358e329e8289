/** What the entries of the errors of output trees have in common. */
import { wording, type Wording } from './error-entry.ts';

export const STORE = {
  exit: 'usage',
  advice:
    'the message names the file or bucket: free space, grant the permission, or correct `store`',
} as const;

/** The texts of an error of the store, and whether the call can be retried. */
export interface StoreWording<F> extends Wording<F> {
  readonly retryable: boolean;
}

type Texts<F> = Parameters<typeof wording<F>>;

/** The same call can succeed later, once the remedy was applied. */
export function retried<F>(...texts: Texts<F>): StoreWording<F> {
  return { ...wording<F>(...texts), retryable: true };
}

/** It fails again until the item, or the tree, is changed. */
export function lasting<F>(...texts: Texts<F>): StoreWording<F> {
  return { ...wording<F>(...texts), retryable: false };
}
