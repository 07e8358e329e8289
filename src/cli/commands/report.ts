/** `hundredfold report NAME`: rebuilds tables and report of a campaign that has ended from its output tree alone. */
import { pathToFileURL } from 'node:url';
import { codedError, EXIT } from '../../domain/errors.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { endedCampaign } from '../../report/campaign-document.ts';
import { publishTree } from '../../report/publish.ts';
import { checkEnded, publishedEnd } from '../../report/published-campaign.ts';
import { addressOf, REPORT } from '../../store/layout.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { whileHoldingAlone } from '../../campaigns/hold-tree.ts';
import { printDamaged } from '../text/summary.ts';
import { findTree } from '../session/find-tree.ts';
import { openLink } from '../session/open-link.ts';
import { printDocument } from '../text/output.ts';

interface ReportFlags extends CommonFlags {
  readonly out?: string;
  readonly open?: boolean;
}

export async function report(name: string, flags: ReportFlags): Promise<number> {
  const { folder, store, campaign } = await findTree(name, flags);
  const path = addressOf(folder, REPORT);
  if (flags.open && isObjectAddress(path)) throw codedError('REPORT_IN_BUCKET', { name, path });
  await checkEnded(store, campaign);
  const end = await publishedEnd(store);
  const { items } = campaign;
  if (end === null) throw codedError('CAMPAIGN_NOT_ENDED', { name, ended: items, items });
  await whileHoldingAlone({ where: 'hundredfold report', store, onNotice: say }, () =>
    publishTree(folder, end),
  );
  const { document, damaged } = await endedCampaign(store, folder);
  if (flags.json) {
    printDocument({ ...document, report: path });
  }
  say(`${name}: tables, report and checksums were rebuilt from ${folder}.`);
  say(`  report: ${path}`);
  if (!isObjectAddress(path)) say(`  in a browser: ${pathToFileURL(path).href}`);
  printDamaged(damaged);
  if (flags.open && !(await openLink(pathToFileURL(path).href)))
    say('No browser was found. Open the link above.');
  return damaged.length === 0 ? EXIT.ok : EXIT.incomplete;
}
