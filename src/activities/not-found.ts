/** Calls about workflows that may have ended meanwhile, or that Temporal does not know. */
import { WorkflowNotFoundError } from '@temporalio/client';

/** The answer; null if there is no such workflow, or, for a message, if it has ended. */
export async function nullIfNotFound<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Whether the message reached a workflow that runs. */
export async function isReached(message: Promise<unknown>): Promise<boolean> {
  return (await nullIfNotFound(message.then(() => true))) ?? false;
}
