/** How the workflow of a campaign ended, if it did not complete. */
import { ApplicationFailure } from '@temporalio/common';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import type { campaign } from '../workflows/index.ts';
import { campaignWorkflowId } from '../workflows/names.ts';

/**
 * The campaign has ended, and items in its tree have not: their records were removed, their workflows ended without
 * them, and then the records were written again.
 */
export async function hasOpenItems(session: Session, name: string): Promise<boolean> {
  return (await failureOf(session, name))?.type === 'ITEMS_OPEN';
}

/** Why notifications of the end failed, one reason each. Of a completed campaign. */
export async function notNotified({ client }: Session, name: string): Promise<readonly string[]> {
  const handle = client.workflow.getHandle<typeof campaign>(campaignWorkflowId(name));
  return (await handle.result()).unnotified ?? [];
}

/** `CAMPAIGN_BROKEN_OFF`, with the failure of the workflow. */
export async function brokenOff(session: Session, name: string): Promise<HundredfoldError> {
  const reason = (await failureOf(session, name))?.message ?? null;
  const why = reason === null ? 'was terminated, or failed' : `failed: ${reason}`;
  return codedError('CAMPAIGN_BROKEN_OFF', { name, reason: why });
}

/** Null if it was terminated. */
async function failureOf({ client }: Session, name: string): Promise<ApplicationFailure | null> {
  try {
    await client.workflow.getHandle(campaignWorkflowId(name)).result();
    return null;
  } catch (error) {
    let reason: unknown = error;
    while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
    return reason instanceof ApplicationFailure ? reason : null;
  }
}
