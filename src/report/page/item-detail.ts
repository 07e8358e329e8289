/** The content of an item's page. */
import type { ItemDetail, ItemFacts } from '../page-data.ts';
import { findKind } from '../../kinds/registry.ts';
import { serializeOptions, type ItemRecord, listWarnings } from '../../store/item-record.ts';
import { listRecordedFiles } from '../audit.ts';
import type { PublishedItem } from '../writer.ts';
import { ITEM_RECORD, buildItemFolder } from '../../store/layout.ts';

export function describeItem({ item, reading, portrait }: PublishedItem): ItemDetail {
  const { record } = item;
  const isRead = record?.state !== 'succeeded' || reading !== null;
  return {
    formula: portrait?.formula ?? null,
    facts: record && listItemFacts(record),
    result:
      record === null || reading === null ? null : (findKind(record.kind).pack?.(reading) ?? null),
    unreadable: isRead ? null : 'its files are not in the expected format.',
  };
}

/** What an item's record says about its job, for the item's page. */
function listItemFacts(record: ItemRecord): ItemFacts {
  const { kind, id, title, service, address, jobName, attempts, timing, resultFrom, source } =
    record;
  return {
    title,
    service,
    address,
    jobName,
    attempts,
    folder: buildItemFolder(kind, id),
    files: listFiles(record),
    options: listOptions(record),
    earlier: record.earlier.map(({ state, error, retriedAt }) => ({
      state,
      retriedAt,
      code: error?.code ?? null,
    })),
    timing: {
      queuedSeconds: timing?.queueWaitSeconds ?? null,
      ranSeconds: timing?.elapsedSeconds ?? null,
    },
    resultFrom: resultFrom
      ? { id: resultFrom.id, campaign: resultFrom.type === 'cache' ? resultFrom.campaign : null }
      : null,
    warnings: listWarnings(record).map(({ message }) => message),
    source: `${source.file}:${source.line}`,
  };
}

/** item.json cannot contain its own length: it is written last. */
function listFiles(record: ItemRecord): Readonly<Record<string, number | null>> {
  const files = listRecordedFiles(record).map(([name, { bytes }]) => [name, bytes] as const);
  return { [ITEM_RECORD]: null, ...Object.fromEntries(files) };
}

/** By manifest column name. */
function listOptions({ options }: ItemRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(serializeOptions(options)).map(([name, value]) => [name, formatOption(value)]),
  );
}

function formatOption(value: unknown): string {
  if (value === null) return 'automatic';
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value).replaceAll('"', '');
}
