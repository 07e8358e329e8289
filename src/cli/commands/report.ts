/** `hundredfold report NAME`: rebuilds tables and report of a campaign that has ended from its output tree alone. */
import { pathToFileURL } from 'node:url';
import { codedError, EXIT, type HundredfoldError } from '../../domain/errors.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { isFinal } from '../../domain/states.ts';
import { endedCampaign } from '../../report/campaign-document.ts';
import { campaignItems, stateOf } from '../../report/campaign-items.ts';
import { publishTree } from '../../report/publish-tree.ts';
import { publishedEnd } from '../../report/published-campaign.ts';
import { REPORT } from '../../store/layout.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { whileHoldingAlone } from '../../campaigns/hold-tree.ts';
import { printDamaged } from '../text/summary.ts';
import { addressOf } from '../../store/address.ts';
import { findTree } from '../session/find-tree.ts';
import { printDocument } from '../text/output.ts';

interface ReportFlags extends CommonFlags {
  readonly out?: string;
  readonly substructure?: boolean;
}

export async function report(name: string, flags: ReportFlags): Promise<number> {
  const { folder, store, campaign } = await findTree(name, flags);
  const end = await publishedEnd(store);
  if (end === null) throw notEnded(name, `${folder} was never published`);
  // Also while a retry runs, which leaves the campaign.json of the previous run.
  for await (const item of campaignItems(store, campaign)) {
    if (!isFinal(stateOf(item))) throw notEnded(name, `${item.id} has not ended`);
  }
  await whileHoldingAlone({ where: 'hundredfold report', store, onNotice: say }, () =>
    publishTree(folder, end, { substructure: flags.substructure ?? false }),
  );
  const path = addressOf(folder, REPORT);
  const { document, damaged } = await endedCampaign(store, folder);
  if (flags.json) {
    printDocument({ ...document, report: path });
  }
  say(`${name}: tables, report and checksums were rebuilt from ${folder}.`);
  say(`  report: ${path}`);
  if (!isObjectAddress(path)) say(`  in a browser: ${pathToFileURL(path).href}`);
  printDamaged(damaged);
  return damaged.length === 0 ? EXIT.ok : EXIT.incomplete;
}

function notEnded(name: string, reason: string): HundredfoldError {
  return codedError('CAMPAIGN_NOT_ENDED', { name, reason });
}
