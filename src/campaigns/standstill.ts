/** Why a service is at a standstill for a campaign, and what to do about it, in a sentence or two. Pure. */
import type { BudgetStatus, Refusing } from '../budget/status.ts';
import type { CampaignProgress } from '../domain/campaign.ts';
import { clockText } from './clock-text.ts';

/** Null if nothing stands still, as in a campaign that has ended. */
export function standstillOf(
  { budgets, progress }: { budgets: readonly BudgetStatus[]; progress: CampaignProgress },
  now: number,
): string | null {
  if (progress.state === 'completed' || progress.state === 'cancelled') return null;
  const words = [
    ...budgets.flatMap((budget) => refusalWords(budget, now)),
    ...brakeWords(progress),
  ];
  return words.length === 0 ? null : words.join(' ');
}

/** A refusal of the address concerns all credentials: nothing else matters then. */
function refusalsOf({ addressBlock, credentials }: BudgetStatus): readonly Refusing[] {
  if (addressBlock.refusal) return [addressBlock.refusal];
  return credentials.flatMap(({ refusal }) => refusal ?? []);
}

/** `predictions has refused requests since 21:04:10: POST …: HTTP 401: …` */
export function refusalWords(budget: BudgetStatus, now: number): string[] {
  return refusalsOf(budget).map(({ since, reason }) => {
    const when = clockText(since, now);
    return (
      `${budget.service} has refused requests since ${when} (${withoutStop(reason)}). No item fails because of this, and ` +
      `submissions resume when the service accepts them again. ${adviceFor(reason)}`
    );
  });
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /HTTP 401/,
    'The token may have expired: put the new one where the configuration expects it, stop this command (Ctrl-C, or "hundredfold stop") and run "hundredfold run" again.',
  ],
  [
    /HTTP 407/,
    'A proxy requires a user name and a password: see HTTPS_PROXY in docs/configuration.md.',
  ],
  [/redirect/, 'Check the address of the service: "hundredfold doctor" shows what answers there.'],
  [
    /HTTP (404|405|426)/,
    'Check the address of the service: "hundredfold doctor" shows what answers there.',
  ],
  [
    /HTTP 403/,
    'Ask the operators of the service or of your network whether they block this machine.',
  ],
];

/** What to do about a refusal with these words. */
export function adviceFor(reason: string): string {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? '"hundredfold doctor" checks it.';
}

function brakeWords({ brakes = [], campaign }: CampaignProgress): string[] {
  return brakes.map(
    ({ service, code, message, times }) =>
      `${times} items of ${service} failed for the same reason (${code}: ${withoutStop(message)}), so nothing more is ` +
      `submitted there. "hundredfold resume ${campaign} --service ${service}" continues with the rest; ` +
      `"hundredfold cancel ${campaign}" ends the campaign.`,
  );
}

function withoutStop(words: string): string {
  return words.replace(/\.\s*$/, '');
}
