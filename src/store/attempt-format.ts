/** Converts an attempt to submit between memory and item.json. */
import { z } from 'zod';
import { ATTEMPT_OUTCOMES, type Attempt } from '../domain/campaign.ts';

export const attempt = z.object({
  at: z.string(),
  outcome: z.enum(ATTEMPT_OUTCOMES),
  message: z.string().optional(),
  remote_id: z.string().optional(),
  // Absent when unknown, and in trees written before they were recorded.
  sent_at: z.string().optional(),
  answered_at: z.string().optional(),
});

export function attemptToDisk(made: Attempt): z.infer<typeof attempt> {
  const { at, outcome, message, remoteId, sentAt, answeredAt } = made;
  return {
    at,
    outcome,
    ...(message === undefined ? {} : { message }),
    ...(remoteId === undefined ? {} : { remote_id: remoteId }),
    ...(sentAt === undefined ? {} : { sent_at: sentAt }),
    ...(answeredAt === undefined ? {} : { answered_at: answeredAt }),
  };
}

export function attemptFromDisk(disk: z.infer<typeof attempt>): Attempt {
  return {
    at: disk.at,
    outcome: disk.outcome,
    ...(disk.message === undefined ? {} : { message: disk.message }),
    ...(disk.remote_id === undefined ? {} : { remoteId: disk.remote_id }),
    ...(disk.sent_at === undefined ? {} : { sentAt: disk.sent_at }),
    ...(disk.answered_at === undefined ? {} : { answeredAt: disk.answered_at }),
  };
}
