/** A workflow of any application that places one order, within the limit that all such workflows share. */
import { isFateUnknown, proxyLimitedActivities } from 'hundredfold/budget';
import type * as activities from './activities.ts';

// The worker executes the budget as well.
export { rollingWindow } from 'hundredfold/budget';

const { placeOrder } = proxyLimitedActivities<typeof activities>({
  budget: 'orders',
  credential: 'team',
  startToCloseTimeout: '10 seconds',
});

export async function order(article: string): Promise<string> {
  try {
    return await placeOrder(article);
  } catch (error) {
    // Perhaps there is an order. To place it again could make a second one: a person or a look-up decides.
    if (isFateUnknown(error)) return `unknown: ${error.message}`;
    throw error;
  }
}
