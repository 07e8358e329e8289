/** `hundredfold logs NAME [ID]`: the worker's log of a campaign, and the history of one of its items. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Attempt } from '../../domain/campaign.ts';
import { codedError, EXIT } from '../../domain/errors.ts';
import { listedItems } from '../../report/campaign-items.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { JOB_LOG, itemKey } from '../../store/layout.ts';
import { itemWorkflowId } from '../../workflows/names.ts';
import { commandSettings } from '../session/command-settings.ts';
import { say } from '../text/explain.ts';
import { findTree, type TreeFlags } from '../session/find-tree.ts';
import { logText, parseLogLine, type LogLine } from '../text/log-text.ts';
import { printDocument, printLine } from '../text/output.ts';
import type { CampaignTree } from '../../campaigns/campaign-tree.ts';

export async function logs(
  name: string,
  id: string | undefined,
  flags: TreeFlags,
): Promise<number> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  const tree = await findTree(name, flags);
  const record = id === undefined ? null : await recordOf(tree, id);
  const engine = record && (await engineLog(tree, record));
  const item = id === undefined ? null : itemWorkflowId(name, id);
  const lines: LogLine[] = [];
  for await (const line of workerLog(join(settings.embeddedDir, 'worker.log')))
    if (line.campaign === name && (item === null || line.item === item)) lines.push(line);
  if (flags.json) {
    printDocument({
      campaign: name,
      id: id ?? null,
      attempts: record?.attempts ?? [],
      worker: lines,
      engine,
    });
    return EXIT.ok;
  }
  for (const line of inOrder(record?.attempts ?? [], lines)) printLine(line);
  if (record?.error) printLine(`${record.state}: ${record.error.message} [${record.error.code}]`);
  if (engine !== null) printLine(`--- ${JOB_LOG} of the service ---\n${engine.trimEnd()}`);
  if (settings.temporal)
    say('Workers elsewhere write their own logs; their lines have campaign and item as fields.');
  else if (lines.length === 0 && record === null)
    say(`The worker logged no warning about ${name}.`);
  return EXIT.ok;
}

async function recordOf({ store, campaign }: CampaignTree, id: string): Promise<ItemRecord> {
  for await (const item of listedItems(store, campaign))
    if (item.id === id && item.record !== null) return item.record;
  throw codedError('ITEM_UNKNOWN', { campaign: campaign.name, id });
}

/** The log of the service's engine, if it was part of the result. */
function engineLog({ store }: CampaignTree, { kind, id }: ItemRecord): Promise<string | null> {
  return store.readText(itemKey(kind, id, JOB_LOG));
}

async function* workerLog(file: string): AsyncGenerator<LogLine> {
  const lines = createInterface({ input: createReadStream(file) });
  try {
    for await (const line of lines) {
      const read = parseLogLine(line);
      if (read !== null) yield read;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function inOrder(attempts: readonly Attempt[], lines: readonly LogLine[]): string[] {
  const all = [
    ...attempts.map((attempt) => ({ at: attempt.at, text: attemptText(attempt) })),
    ...lines.map((line) => ({ at: line.time, text: logText(line) })),
  ];
  return all.sort((a, b) => a.at.localeCompare(b.at)).map(({ text }) => text);
}

function attemptText({ at, outcome, remoteId, message }: Attempt): string {
  return [at, outcome, remoteId ?? '', message ?? ''].filter(Boolean).join('  ');
}
