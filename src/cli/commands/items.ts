/** `hundredfold items NAME`: the items of a campaign, one per line; all of them, or a selection. */
import { EXIT } from '../../domain/errors.ts';
import { readRecord } from '../../host/record.ts';
import { isAlive } from '../../temporal/processes.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { itemLines, type ItemFilter, type OpenItem } from '../../campaigns/item-lines.ts';
import { ItemsDocument } from '../text/items-document.ts';
import { ItemsText } from '../text/items-text.ts';
import { treeIfAny, type CampaignTree } from '../../campaigns/campaign-tree.ts';
import { campaignAddress } from '../../store/address.ts';
import { commandSettings } from '../session/command-settings.ts';

interface ItemsFlags extends CommonFlags, ItemFilter {
  readonly out?: string;
}

export async function items(name: string, flags: ItemsFlags): Promise<number> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  const expected = campaignAddress(flags.out ?? settings.storeUrl, name);
  const show = (tree: CampaignTree, open: ReadonlyMap<string, OpenItem>) =>
    print(tree, open, flags);
  // If no server runs, nothing progresses: the tree has the complete state, and reading it is fast.
  if (!settings.temporal && !hostRuns(settings.embeddedDir)) {
    const tree = await treeIfAny(expected, name);
    if (tree) return show(tree, new Map());
  }
  // Temporal's packages take a second to load.
  const { withOpenItems } = await import('../session/open-items.ts');
  return withOpenItems(name, flags.out === undefined ? null : expected, flags, show);
}

function hostRuns(embeddedDir: string): boolean {
  const record = readRecord(embeddedDir, 'host');
  return record !== null && isAlive(record.pid);
}

async function print(
  tree: CampaignTree,
  open: ReadonlyMap<string, OpenItem>,
  flags: ItemsFlags,
): Promise<number> {
  const printer = flags.json ? new ItemsDocument(tree) : new ItemsText(tree);
  for await (const line of itemLines(tree, open, flags)) await printer.line(line);
  await printer.end();
  return EXIT.ok;
}
