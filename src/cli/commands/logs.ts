/** `hundredfold logs NAME [ID]`: the worker's log of a campaign, and the history of one of its items. */
import { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { readWorkerLog, type LogLine } from '../../runner/command-line.ts';
import type { OutputTree } from '../../runner/index.ts';
import type { Attempt } from '../../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { readListedItems } from '../../report/campaign-items.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { buildItemKey, JOB_LOG } from '../../store/layout.ts';
import { buildItemWorkflowId } from '../../workflows/names.ts';
import { loadCommandSettings, findTree } from '../session.ts';
import { say, formatLogLine, printDocument, printLine } from '../terminal.ts';
import { call, NEWEST, treesThere, type Flags } from '../options.ts';

export const commands = [
  new Command('logs')
    .description('print the log of a campaign, or the history of one of its items')
    .argument('[name]', NEWEST, checkName)
    .argument('[id]', 'item; prints its attempts, and the log of its job if the service has one')
    .addOption(treesThere())
    .action(call(printLogs)),
];

async function printLogs(
  given: string | undefined,
  id: string | undefined,
  flags: Flags,
): Promise<number> {
  const tree = await findTree(given, flags);
  const { name } = tree;
  // Those of its folder.
  const settings = loadCommandSettings(flags, { tokens: 'optional' });
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
  for (const line of mergeInOrder(attempts, worker)) printLine(line);
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

function mergeInOrder(attempts: readonly Attempt[], lines: readonly LogLine[]): string[] {
  const all = [
    ...attempts.map((attempt) => ({ at: attempt.at, text: formatAttempt(attempt) })),
    ...lines.map((line) => ({ at: line.time, text: formatLogLine(line) })),
  ];
  return all.sort((a, b) => a.at.localeCompare(b.at)).map(({ text }) => text);
}

function formatAttempt({ at, outcome, remoteId, message }: Attempt): string {
  return [at, outcome, remoteId ?? '', message ?? ''].filter(Boolean).join('  ');
}
