/** What an item's record says about its job, for the item's page. */
import type { ItemFacts } from '../../report-page/data.ts';
import { optionsToDisk } from '../../store/item-options.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import type { Listed } from '../campaign-items.ts';
import { manifestRow } from '../failed-table.ts';
import { ITEM_RECORD, itemFolder, type ItemLayout } from '../../store/layout.ts';

export function itemFacts(layout: ItemLayout, item: Listed, record: ItemRecord): ItemFacts {
  const { kind, id, title, service, address, jobName, attempts, timing, resultFrom, source } =
    record;
  return {
    title,
    service,
    address,
    jobName,
    attempts,
    folder: itemFolder(layout, kind, id),
    files: filesOf(record),
    options: optionsOf(record),
    earlier: record.earlier.map(({ state, error, finishedAt, retriedAt }) => ({
      state,
      finishedAt,
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
    source: `${source.file}:${source.line}`,
    manifest: manifestRow(item),
  };
}

/** item.json cannot contain its own length: it is written last. */
function filesOf({ input, files }: ItemRecord): Readonly<Record<string, number | null>> {
  const { original } = input;
  return {
    [ITEM_RECORD]: null,
    [input.name]: input.bytes,
    ...(original && { [original.name]: original.bytes }),
    ...Object.fromEntries(Object.entries(files).map(([name, { bytes }]) => [name, bytes])),
  };
}

/** By manifest column name. */
function optionsOf({ options }: ItemRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(optionsToDisk(options)).map(([name, value]) => [name, optionText(value)]),
  );
}

function optionText(value: unknown): string {
  if (value === null) return 'automatic';
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value).replaceAll('"', '');
}
