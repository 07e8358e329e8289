/** Workflows of another application, for the tests of the rolling window. */
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import {
  GRANTED_CREDENTIAL,
  isFateUnknown,
  isNotAccepted,
  proxyLimitedActivities,
  type LimitedActivityOptions,
} from '../../src/library/budget.ts';

export { rollingWindow } from '../../src/library/budget.ts';

export interface Orders {
  order(url: string, article: string, credential: string): Promise<string>;
}

export type Choice = Omit<LimitedActivityOptions, 'startToCloseTimeout'>;

/** The outcome of the order: its answer, or the kind of error. */
export async function orderOnce(url: string, article: string, choice: Choice): Promise<string> {
  const { order } = proxyLimitedActivities<Orders>({ ...choice, startToCloseTimeout: '5s' });
  try {
    return await order(url, article, GRANTED_CREDENTIAL);
  } catch (error) {
    if (isNotAccepted(error)) return `not accepted: ${error.message}`;
    if (isFateUnknown(error)) return `unknown: ${error.message} (${String(error.details?.[0])})`;
    throw error;
  }
}

/** Several concurrent calls of one workflow. */
export async function orderAll(
  url: string,
  articles: readonly string[],
  choice: Choice,
): Promise<string[]> {
  const { order } = proxyLimitedActivities<Orders>({ ...choice, startToCloseTimeout: '5s' });
  return Promise.all(articles.map((article) => order(url, article, GRANTED_CREDENTIAL)));
}

/** Ends when `total` calls of the owner of this workflow id are answered, with the ids of those that are. */
export async function hearAll(): Promise<string[]> {
  const heard = new Set<string>();
  let total = Number.POSITIVE_INFINITY;
  setHandler(defineSignal<[string]>('hundredfold.answered'), (id) => void heard.add(id));
  setHandler(defineSignal<[number]>('total'), (calls) => void (total = calls));
  await condition(() => Number.isFinite(total));
  await condition(() => heard.size >= total, '10s');
  return [...heard];
}

/** Returns the budget's answers to the owner of this workflow id. */
export async function listen(): Promise<unknown> {
  const heard: unknown[] = [];
  setHandler(
    defineSignal<unknown[]>('hundredfold.answered'),
    (...answer) => void heard.push(answer),
  );
  await condition(() => heard.length > 0);
  return heard[0];
}
