/** `hundredfold status [NAME]`: how one campaign stands. */
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { openFileStore } from '../store/filesystem.ts';
import { findCampaign, listCampaigns, type CampaignLine } from './campaigns.ts';
import { expectedEnd } from './expected-end.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './main.ts';
import { observe } from './observe.ts';
import { budgetText, clockText, countsText } from './progress-text.ts';
import { endedSummary, printSummary, type EndedSummary } from './summary.ts';
import { withSession } from './with-session.ts';

export async function status(name: string | undefined, flags: CommonFlags): Promise<number> {
  return withSession(flags, async (session) => {
    const campaign = name ? await findCampaign(session.client, name) : await newest(session);
    if (campaign.open) await printOpen(session, campaign, flags.json ?? false);
    else
      printSummary(
        await endedSummary(await openFileStore(campaign.out), campaign.out),
        flags.json ?? false,
      );
    return EXIT.ok;
  });
}

async function newest({ client }: Session): Promise<CampaignLine> {
  const [campaign] = await listCampaigns(client);
  if (campaign) return campaign;
  throw new HundredfoldError({
    code: 'CAMPAIGN_NONE',
    message: 'no campaign was run here yet',
    remedy: 'Start one: hundredfold run MANIFEST.',
  });
}

async function printOpen(session: Session, campaign: CampaignLine, json: boolean): Promise<void> {
  const seen = await observe(session, campaign.name);
  const { progress, budgets, at } = seen;
  if (json) {
    const count = (of: keyof (typeof budgets)[number]['counts']) =>
      budgets.reduce((sum, { counts }) => sum + counts[of], 0);
    const document: EndedSummary = {
      campaign: campaign.name,
      state: progress.state,
      items: { total: progress.total, ...progress.ended, duplicates: 0, cached: 0 },
      submissions: count('accepted'),
      rejected429: count('rejected429'),
      out: campaign.out,
      startedAt: campaign.startedAt,
      endedAt: null,
    };
    process.stdout.write(`${JSON.stringify(document)}\n`);
    return;
  }
  const end = expectedEnd(seen);
  say(`${campaign.name} (${progress.state}): ${countsText(seen)}`);
  for (const budget of budgets) say(`  ${budgetText(budget, at)}`);
  if (end !== null) say(`  end expected ${clockText(end, at)}`);
  say(`  ${campaign.out}`);
}
