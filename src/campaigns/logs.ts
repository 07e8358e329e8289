/** What was logged about a campaign, or about one of its items: by the worker, the service's engine and its record. */
import type { Settings } from '../config/settings.ts';
import { codedError } from '../domain/errors.ts';
import { listedItems } from '../report/campaign-items.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { JOB_LOG, itemKey } from '../store/layout.ts';
import { itemWorkflowId } from '../workflows/names.ts';
import type { CampaignTree } from './campaign-tree.ts';
import { readWorkerLog, type LogLine } from './worker-log.ts';

interface Logs {
  /** Null for a whole campaign. */
  readonly record: ItemRecord | null;
  /** In the order in which they were written. */
  readonly worker: readonly LogLine[];
  /** The log of the service's engine, if it was part of the item's result. */
  readonly engine: string | null;
}

/**
 * @param id of one item; null for all of the campaign
 * @throws HundredfoldError `ITEM_UNKNOWN`
 */
export async function readLogs(
  tree: CampaignTree,
  id: string | null,
  settings: Settings,
): Promise<Logs> {
  const { name } = tree.campaign;
  const record = id === null ? null : await recordOf(tree, id);
  const engine = record && (await tree.store.readText(itemKey(record.kind, record.id, JOB_LOG)));
  const item = id === null ? null : itemWorkflowId(name, id);
  const worker: LogLine[] = [];
  for await (const line of readWorkerLog(settings))
    if (line.campaign === name && (item === null || line.item === item)) worker.push(line);
  return { record, worker, engine };
}

async function recordOf({ store, campaign }: CampaignTree, id: string): Promise<ItemRecord> {
  for await (const item of listedItems(store, campaign))
    if (item.id === id && item.record !== null) return item.record;
  throw codedError('ITEM_UNKNOWN', { campaign: campaign.name, id });
}
