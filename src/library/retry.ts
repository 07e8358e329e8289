/** Runs unsuccessful items of a campaign again, like `hundredfold retry` without a terminal. */
import { oneAtATime } from '../campaigns/one-at-a-time.ts';
import { retryOf, startRetry } from '../campaigns/retry.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { openSession } from '../host/open-session.ts';
import { Campaign } from './campaign.ts';
import type { RowOptions } from './checked-rows.ts';
import { environmentOf, logToWorkerLog, settingsOf } from './configuration.ts';
import { throwIfInterrupted } from './interrupted.ts';
import type { StartOptions } from './start-campaign.ts';

/** Which items are run again, and how. */
export interface RetryOptions
  extends
    Pick<StartOptions, 'config' | 'environment' | 'services' | 'signal'>,
    Pick<RowOptions, 'out' | 'priority'> {
  /** Ids of items that did not succeed. Default: all of them. */
  readonly items?: readonly string[];
  /** True: only items that `failed`, not those that are held or were cancelled. */
  readonly failed?: boolean;
}

/**
 * Runs items of a campaign again, in the same output tree. The manifest is not needed. A second call with the same
 * selection joins the retry that runs.
 *
 * @param name - name of the campaign
 * @returns the campaign; call `close()` on it, or declare it with `await using`
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_RUNNING`, `ITEM_NOT_RETRYABLE`, `CONFIG_*`, `HOST_*`,
 * `STORE_*`, `TREE_*`, `TEMPORAL_*`, or `INTERRUPTED` when the signal is aborted
 */
export async function retry(name: string, options: RetryOptions = {}): Promise<Campaign> {
  const { signal = new AbortController().signal } = options;
  throwIfInterrupted(signal);
  const settings = settingsOf(options);
  const retried = await retryOf(name, options, settings);
  logToWorkerLog(settings);
  const environment = environmentOf(options);
  const session = await openSession({ settings, environment, localServices: retried.local });
  const notices: string[] = [];
  const onNotice = (text: string): void => void notices.push(text);
  try {
    throwIfInterrupted(signal);
    const wanted = {
      ...retried,
      priority: options.priority ?? USUAL_PRIORITY,
      onNotice,
    };
    const { folder, idle } = await oneAtATime(settings, onNotice, () =>
      startRetry(session, wanted),
    );
    return new Campaign({ session, name, out: folder, signal, idle, notices });
  } catch (error) {
    await session.close();
    throw error;
  }
}
