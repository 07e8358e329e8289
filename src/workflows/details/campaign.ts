/** What the Temporal UI shows of a campaign, in markdown. Pure. */
import type { CampaignProgress } from '../../domain/campaign.ts';

export function campaignDetails(progress: CampaignProgress): string {
  const { campaign, ended, open, total } = progress;
  const states = Object.entries(ended).filter(([, n]) => n > 0);
  const codes = Object.entries(progress.failuresByCode);
  const done = states.reduce((sum, [, n]) => sum + n, 0);
  return [
    `**${campaign}**: ${done} of ${total} ended, ${open} open`,
    '',
    '| state | items |',
    '| --- | --- |',
    ...states.map(([state, n]) => `| ${state} | ${n} |`),
    ...(codes.length > 0 ? ['', '| failed with | items |', '| --- | --- |'] : []),
    ...codes.map(([code, n]) => `| ${code} | ${n} |`),
  ].join('\n');
}
