/** The checks of `doctor` that need a connection to Temporal. Each opens its own; errors become findings. */
import type { Client } from '@temporalio/client';
import { connectClient, type TemporalAddress } from '../temporal/connection.ts';
import { refusalOf } from '../temporal/grpc-status.ts';
import { answered } from '../campaigns/in-session.ts';
import { problem, type Finding } from './finding.ts';

const CONNECT_WITHIN_MS = 5_000;

/** A server that cannot be reached, or refuses, is a finding. Ends within 15 s. */
export async function findingsAt(
  target: TemporalAddress,
  look: (client: Client) => Promise<Finding[]>,
): Promise<Finding[]> {
  let client: Client;
  try {
    client = await connectClient({ ...target, timeoutMs: CONNECT_WITHIN_MS });
  } catch (error) {
    return [problem('Temporal', error)];
  }
  try {
    return await answered(look(client));
  } catch (error) {
    return [problem('Temporal', refusalOf(error, target.namespace) ?? error)];
  } finally {
    await client.connection.close();
  }
}
