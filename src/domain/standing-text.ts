/** The standing of a campaign among others, in words: for commands and the Temporal UI. */
import { USUAL_PRIORITY, type Standing } from './campaign.ts';

/** `share 2, priority 1, reserve 20` */
export function standingText({
  weight = 1,
  priority = USUAL_PRIORITY,
  reserve = 0,
}: Partial<Standing>): string {
  return `share ${weight}, priority ${priority}, reserve ${reserve}`;
}
