/** What the time line of the Temporal UI says of an activity or a timer, beside its name. Pure. */
import type { Grant } from '../../budget/budget.ts';
import type { ItemEnd } from '../../domain/campaign.ts';
import type { ItemJob } from '../submit-types.ts';
import { oneLine } from './markdown.ts';
import { clock } from './utc.ts';

/** The server takes 400 bytes of a summary; a character is at most four of them. */
const LONGEST = 90;

/** No markdown there: a text is shown as it is. */
export function summary(text: string): string {
  return oneLine(text, LONGEST);
}

/** @param now ms since the epoch */
export function submitSummary({ request, notBefore }: Grant<ItemJob>, now: number): string {
  const { job, campaign, attempt } = request;
  const again = attempt === 0 ? '' : `, submission ${attempt + 1}`;
  // Given out ahead of time, it is sent when its slot is free.
  const slot = notBefore > now ? `, slot frees ${clock(notBefore, now)}` : '';
  return summary(`${job.kind} ${job.id} of ${campaign}${again}${slot}`);
}

export function endSummary({ state, code }: ItemEnd): string {
  return summary(`${state}${code === null ? '' : `, ${code}`}: into item.json`);
}

export function checkSummary(at: number, now: number): string {
  return `next check for terminated items ${clock(at, now)}`;
}
