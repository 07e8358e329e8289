/** Connections of workers to Temporal. A separate file: commands without a worker need not load the SDK's. */
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { reasonFor, security, type TemporalAddress } from './connection.ts';

/**
 * The SDK warns of memos of more than 2 kB, which the status of a budget is with a few credentials; with fifty it has
 * 30 kB. The server refuses 2 MB.
 */
const payloadLimits = { memoWarnSize: 500_000 };

/** Throws TEMPORAL_* with the cause. */
export async function connectWorker(target: TemporalAddress): Promise<NativeConnection> {
  try {
    const secure = security(target) satisfies NativeConnectionOptions;
    return await NativeConnection.connect({ ...secure, payloadLimits });
  } catch (cause) {
    throw await reasonFor(target, cause);
  }
}
