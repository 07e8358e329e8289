/** What a check of `doctor` has found, and how checks reach Temporal. */
import type { Client } from '@temporalio/client';
import { HundredfoldError, type ErrorCode } from '../domain/errors.ts';
import { connectClient, type TemporalAddress } from '../temporal/connection.ts';
import { toRefusal } from '../temporal/grpc-status.ts';
import { waitForAnswer } from './session.ts';

/** One line, and its remedy. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** The code of the error; only if not ok, or a warning. */
  readonly code?: ErrorCode;
  /** It works, but the user should know. */
  readonly warning?: true;
  readonly found: string;
  /** What to do; only if not ok, or a warning. */
  readonly remedy?: string;
}

/** A problem that the check finds itself. */
export function createCodedProblem(
  check: string,
  code: ErrorCode,
  found: string,
  remedy: string,
): Finding {
  return { check, ok: false, code, found, remedy };
}

/** @throws any error without a code: a bug */
export function toProblem(check: string, error: unknown): Finding {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy } = error;
  return { check, ok: false, code, found: `${message} [${code}]`, remedy };
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A server that cannot be reached, or refuses, is a finding. Ends within 15 s. */
export async function findAt(
  target: TemporalAddress,
  look: (client: Client) => Promise<Finding[]>,
): Promise<Finding[]> {
  let client: Client;
  try {
    client = await connectClient({ ...target, timeoutMs: CONNECT_TIMEOUT_MS });
  } catch (error) {
    return [toProblem('Temporal', error)];
  }
  try {
    return await waitForAnswer(look(client));
  } catch (error) {
    return [toProblem('Temporal', toRefusal(error, target.namespace) ?? error)];
  } finally {
    await client.connection.close();
  }
}
