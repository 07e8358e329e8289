/** The checks of `doctor` that need a connection to Temporal. Each opens its own; errors become findings. */
import type { Client } from '@temporalio/client';
import { HundredfoldError } from '../domain/errors.ts';
import { connectClient, type TemporalAddress } from '../temporal/connection.ts';
import { refusalOf } from '../temporal/refusals.ts';
import { answered } from '../campaigns/in-session.ts';
import type { Finding } from './finding.ts';

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
    return [findingOf('Temporal', error)];
  }
  try {
    return await answered(look(client));
  } catch (error) {
    return [findingOf('Temporal', refusalOf(error, target.namespace) ?? error)];
  } finally {
    await client.connection.close();
  }
}

/** @throws any error without a code: a bug */
export function findingOf(check: string, error: unknown): Finding {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy } = error;
  return { check, ok: false, code, found: `${message} [${code}]`, remedy };
}
