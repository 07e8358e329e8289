/** Connections of workers to Temporal. A separate file: commands without a worker need not load the SDK's. */
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { reasonFor, security, type TemporalAddress } from './connection.ts';
import type { Credentials } from './renewal.ts';

/** Throws TEMPORAL_* with the cause. */
export async function connectWorker(
  target: TemporalAddress,
  credentials: Credentials = target.reread?.() ?? target,
): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(
      security(target, credentials) satisfies NativeConnectionOptions,
    );
  } catch (cause) {
    throw await reasonFor({ ...target, ...credentials }, cause);
  }
}
