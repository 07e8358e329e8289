/** `hundredfold items NAME`: the items of a campaign, one per line; all of them, or a selection. */
import { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { EXIT } from '../../domain/errors.ts';
import { readRecord } from '../../temporal/host/folder.ts';
import { isAlive } from '../../temporal/machine.ts';
import { addRowOptions, selectRows, type Flags, call, NEWEST, treesThere } from '../options.ts';
import {
  listItemLines,
  type OpenItem,
  openItems,
  requireTree,
  openTreeIfAny,
} from '../../runner/command-line.ts';
import type { ItemLine, OutputTree } from '../../runner/index.ts';
import { buildCampaignAddress } from '../../store/layout.ts';
import { loadCommandSettings, findMeant, withCampaign } from '../session.ts';
import { say, printDocument, printTable } from '../terminal.ts';

export const commands = [
  addRowOptions(
    new Command('items')
      .description('list the items of a campaign')
      .argument('[name]', NEWEST, checkName),
  )
    .addOption(treesThere())
    .action(call(listItems)),
];

/** Items for users and pipes: one row each, with the reason of a failure in the last column. */
const HEADER = ['ID', 'KIND', 'STATE', 'SINCE', 'CODE', 'PATH', 'REMOTE_ID', 'MESSAGE'];

const TIME = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** `2026-11-21T02:14:33` in local time; without a space, so that columns can be counted. */
function formatTime(iso: string): string {
  return TIME.format(new Date(iso)).replace(' ', 'T');
}

async function listItems(given: string | undefined, typed: Flags): Promise<number> {
  const { name, flags } = await findMeant(given, typed);
  const settings = loadCommandSettings(flags, { tokens: 'optional' });
  const expected = buildCampaignAddress(flags.out ?? settings.storeUrl, name);
  const show = (tree: OutputTree, open: ReadonlyMap<string, OpenItem>) => print(tree, open, flags);
  // If no server runs, nothing progresses: the tree has the complete state, and reading it is fast.
  if (!settings.temporal && !isHostRunning(settings.embeddedDir)) {
    const tree = await openTreeIfAny(expected, name);
    if (tree) return show(tree, new Map());
  }
  return withCampaign({ name, flags }, 'look', async ({ client }, { open, out }) => {
    const tree = await requireTree(flags.out === undefined ? out : expected, name, true);
    return show(tree, open ? await openItems(client, name) : new Map<string, OpenItem>());
  });
}

function isHostRunning(embeddedDir: string): boolean {
  const record = readRecord(embeddedDir, 'host');
  return record !== null && isAlive(record.pid);
}

async function print(
  tree: OutputTree,
  open: ReadonlyMap<string, OpenItem>,
  flags: Flags,
): Promise<number> {
  const lines: ItemLine[] = [];
  for await (const line of listItemLines(tree, open, selectRows(flags, tree))) lines.push(line);
  if (flags.json) printDocument({ campaign: tree.name, out: tree.location, items: lines });
  else printTable(HEADER, lines.map(formatCells));
  if (lines.length === 0) say(`${tree.name} has no such item.`);
  return EXIT.ok;
}

function formatCells({ id, kind, state, since, code, path, remoteId, message }: ItemLine) {
  return [id, kind, state, since === null ? '' : formatTime(since), code, path, remoteId, message];
}
