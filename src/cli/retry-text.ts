/** What a retry is about to do, said before it does it. */
import type { RetrySurvey } from '../store/retry-survey.ts';
import { say } from './explain.ts';

/** More is no list that anybody works off on a screen. */
const SHOWN = 20;

export function explainRetry(name: string, survey: RetrySurvey): void {
  for (const line of retryText(name, survey)) say(line);
}

export function retryText(name: string, survey: RetrySurvey): string[] {
  const { chosen, states, ways, following, mayBeThere, open, unusable } = survey;
  const kinds = Object.entries(states).filter(([, n]) => n > 0);
  const which = kinds.map(([state, n]) => `${n} ${state}`).join(', ');
  const lines =
    chosen.size === 0
      ? [
          `${name}: no ended item is run again: none of those asked for failed, is held or was cancelled.`,
        ]
      : [`${name}: ${items(chosen.size)} run again (${which}).`];
  if (ways.ask > 0) {
    lines.push(
      `  ${jobs(ways.ask)} asked for first, which spends no slot: only where the service does not know the job,`,
      '  or it failed or its result is wrong again, another one is submitted (never for an adopted job).',
    );
  }
  if (following > 0)
    lines.push(`  ${items(following)} get the result of another: no slot is spent.`);
  if (mayBeThere > 0) {
    lines.push(
      `  ${items(mayBeThere)} may have a job at the service already that nobody can find; sent again all the same,`,
      '  as you asked, and each may become a second job.',
    );
  }
  if (open > 0) lines.push(`  ${items(open)} had not ended, and go on.`);
  if (unusable.length > 0) {
    lines.push(
      `  ${items(unusable.length)} cannot be run again from this tree, and stay as they are:`,
    );
    lines.push(...unusable.slice(0, SHOWN).map((why) => `    ${why}`));
    if (unusable.length > SHOWN) lines.push(`    And ${unusable.length - SHOWN} more.`);
    lines.push('  The "hundredfold run" command of this campaign puts back what is missing.');
  }
  return lines;
}

function jobs(n: number): string {
  return n === 1 ? '1 former job is' : `${n} former jobs are`;
}

function items(n: number): string {
  return n === 1 ? '1 item' : `${n} items`;
}
