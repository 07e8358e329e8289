/** `hundredfold items NAME`: the items of a campaign, one a line; all of them, or those that are asked for. */
import { join, resolve } from 'node:path';
import { loadSettings } from '../config/settings.ts';
import { EXIT } from '../domain/errors.ts';
import { readRecord } from '../host/record.ts';
import { isAlive } from '../temporal/processes.ts';
import { findCampaign } from './campaigns.ts';
import type { CommonFlags } from './flags.ts';
import { itemLines, type ItemFilter, type OpenItem } from './item-lines.ts';
import { ItemsDocument } from './items-document.ts';
import { ItemsText } from './items-text.ts';
import { openItems } from './open-items.ts';
import { openTree, treeIfAny, type CampaignTree } from './retry-tree.ts';
import { withSession } from './with-session.ts';

export interface ItemsFlags extends CommonFlags, ItemFilter {
  readonly out?: string;
}

export async function items(name: string, flags: ItemsFlags): Promise<number> {
  const settings = loadSettings(flags.config, process.env);
  const expected = join(resolve(flags.out ?? settings.storeUrl), name);
  // Where no server runs nothing goes on: the tree tells all there is, and at once.
  if (!settings.temporal && !hostRuns(settings.embeddedDir)) {
    const tree = await treeIfAny(expected, name);
    if (tree) return print(tree, new Map(), flags);
  }
  return withSession(flags, 'look', async ({ client }) => {
    const { open, out } = await findCampaign(client, name);
    const tree = await openTree(flags.out === undefined ? out : expected, name, true);
    return print(tree, open ? await openItems(client, name) : new Map(), flags);
  });
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
