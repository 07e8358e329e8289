/** The times of a job at its service, from the results of several activities. */
import { NO_TIMING, type PostTimes, type Timing } from '../domain/outcomes.ts';

/** Empty where the worker died before it reported them. */
export function postTimes({ sentAt, answeredAt }: Partial<PostTimes>): Partial<PostTimes> {
  return {
    ...(sentAt !== undefined && { sentAt }),
    ...(answeredAt !== undefined && { answeredAt }),
  };
}

/** The timing from the log of a job, and from its status while it ran. */
export function withQueuedAt(timing: Timing | null, queuedAt: string | undefined): Timing | null {
  if (queuedAt === undefined) return timing;
  return { ...(timing ?? NO_TIMING), queuedAt: timing?.queuedAt ?? queuedAt };
}
