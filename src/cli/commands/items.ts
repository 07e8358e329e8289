/** `hundredfold items NAME`: the items of a campaign, all or a selection. `logs NAME [ID]`: its log, or the history of one. */
import { Command } from 'commander';
import type { Attempt } from '../../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { readListedItems } from '../../store/campaign-items.ts';
import { readRecord } from '../../temporal/host/folder.ts';
import { isAlive } from '../../temporal/machine.ts';
import {
  addRowOptions,
  selectRows,
  type Flags,
  call,
  NEWEST,
  treesThere,
  createNameArgument,
} from '../options.ts';
import {
  type LogLine,
  findCampaign,
  listItemLines,
  readWorkerLog,
  type OpenItem,
  readOpenItems,
  requireTree,
  openTreeIfAny,
  type ItemLine,
  type OutputTree,
} from '../../runner/command-line.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { buildCampaignAddress, buildItemKey, JOB_LOG } from '../../store/layout.ts';
import { buildItemWorkflowId } from '../../workflows/names.ts';
import { findMeant, findTree, loadCommandSettings, withSession } from '../session.ts';
import { formatLogLine, printDocument, printLine, printTable, say } from '../terminal.ts';

export const commands = [
  addRowOptions(
    new Command('items')
      .description('list the items of a campaign')
      .addArgument(createNameArgument('[name]', NEWEST)),
  )
    .addOption(treesThere())
    .action(call(listItems)),
  new Command('logs')
    .description('print the log of a campaign, or the history of one of its items')
    .addArgument(createNameArgument('[name]', NEWEST))
    .argument('[id]', 'item; prints its attempts, and the log of its job if the service has one')
    .addOption(treesThere())
    .action(call(printLogs)),
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
  const settings = loadCommandSettings(flags);
  const expected = buildCampaignAddress(flags.out ?? settings.storeUrl, name);
  const host = readRecord(settings.embeddedDir, 'host');
  // If no server runs, nothing progresses: the tree has the complete state, and reading it is fast.
  if (!settings.temporal && !(host !== null && isAlive(host.pid))) {
    const tree = await openTreeIfAny(expected, name);
    if (tree) return print(tree, new Map(), flags);
  }
  return withSession(flags, async ({ client }) => {
    const { open, out } = await findCampaign(client, name, settings.storeUrl);
    const tree = await requireTree(flags.out === undefined ? out : expected, name, true);
    return print(tree, open ? await readOpenItems(client, name) : new Map(), flags);
  });
}

async function print(
  tree: OutputTree,
  open: ReadonlyMap<string, OpenItem>,
  flags: Flags,
): Promise<number> {
  const lines = await listItemLines(tree, open, selectRows(flags, tree));
  if (flags.json) printDocument({ campaign: tree.name, out: tree.location, items: lines });
  else printTable(HEADER, lines.map(formatCells));
  if (lines.length === 0) say(`${tree.name} has no such item.`);
  return EXIT.ok;
}

function formatCells({ id, kind, state, since, code, path, remoteId, message }: ItemLine) {
  return [id, kind, state, since === null ? '' : formatTime(since), code, path, remoteId, message];
}

/* ---- logs ---- */

async function printLogs(
  given: string | undefined,
  id: string | undefined,
  flags: Flags,
): Promise<number> {
  const tree = await findTree(given, flags);
  const { name } = tree;
  // Those of its folder.
  const settings = loadCommandSettings(flags);
  const record = id === undefined ? null : await findRecord(tree, id);
  // The log of the service's engine, if it was part of the item's result.
  const engine =
    record && (await tree.store.readText(buildItemKey(record.kind, record.id, JOB_LOG)));
  const item = id === undefined ? null : buildItemWorkflowId(name, id);
  const worker: LogLine[] = [];
  for await (const line of readWorkerLog(settings))
    if (line.campaign === name && (item === null || line.item === item)) worker.push(line);
  const attempts = record?.attempts ?? [];
  if (flags.json) {
    printDocument({ campaign: name, id: id ?? null, attempts, worker, engine });
    return EXIT.ok;
  }
  const told = [
    ...attempts.map((one) => ({ at: one.at, text: formatAttempt(one) })),
    ...worker.map((line) => ({ at: line.time, text: formatLogLine(line) })),
  ];
  for (const { text } of told.sort((a, b) => a.at.localeCompare(b.at))) printLine(text);
  if (record?.error) printLine(`${record.state}: ${record.error.message} [${record.error.code}]`);
  if (engine !== null) printLine(`--- ${JOB_LOG} of the service ---\n${engine.trimEnd()}`);
  if (settings.temporal)
    say('Workers elsewhere write their own logs; their lines have campaign and item as fields.');
  else if (worker.length === 0 && record === null)
    say(`The worker logged no warning about ${name}.`);
  return EXIT.ok;
}

/** @throws HundredfoldError `ITEM_UNKNOWN` */
async function findRecord({ name, store, campaign }: OutputTree, id: string): Promise<ItemRecord> {
  for await (const item of readListedItems(store, campaign))
    if (item.id === id && item.record !== null) return item.record;
  throw new HundredfoldError(
    'ITEM_UNKNOWN',
    `the campaign ${name} has no item ${id}`,
    `hundredfold items ${name} lists them.`,
  );
}

function formatAttempt({ at, outcome, remoteId, message }: Attempt): string {
  return [at, outcome, remoteId ?? '', message ?? ''].filter(Boolean).join('  ');
}
