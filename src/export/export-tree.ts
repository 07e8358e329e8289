/** Exports the items of an output tree: reads and writes files for the formats. */
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { errorOf, listedItems, stateOf, type Listed } from '../report/campaign-items.ts';
import { digestOf, type FileDigest } from '../store/digest.ts';
import { inOrder } from '../store/in-parallel.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import {
  EXPORT_RECORD,
  exportRecordText,
  readExportedFiles,
  type ExportRecord,
  type LeftOutItem,
  type Remark,
} from './export-record.ts';
import type { ExportFormat, ExportItem, ExportOptions } from './format.ts';
import { whyLeftOut, type LeftOut } from './left-out.ts';
import { readExportItem } from './read-item.ts';
import { DigestSink, FileSink, type Sink } from './sink.ts';
import { StructureFolder } from './structure-folder.ts';
import { warningsOf } from '../store/item-record.ts';

export interface ExportWork {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
  readonly format: ExportFormat;
  readonly options: ExportOptions;
  /** Base folder of the paths of structure files; the default is the manifest's. */
  readonly structures?: string | undefined;
  /** Which items to export; the default is all. */
  readonly wanted?: ((item: Listed) => boolean) | undefined;
  /** The target. */
  readonly to: Store;
  /** Whether existing files with another content may be overwritten. */
  readonly replace?: boolean | undefined;
  /** Called after each item; may throw to abort. */
  readonly onItem?: (() => void) | undefined;
}

export interface Exported extends ExportRecord {
  /** Selected items of kinds that the format does not support. */
  readonly otherKinds: number;
}

/**
 * Files are written completely or not at all, and nothing is written if other content would be lost.
 *
 * @throws HundredfoldError `EXPORT_WOULD_REPLACE`, `EXPORT_NOTHING`
 * @throws StoreError
 */
export async function exportTree(work: ExportWork): Promise<Exported> {
  const { to, replace = false } = work;
  const former = await readExportedFiles(to);
  if (!replace && (await isOccupied(to))) await checkNothingLost(work, former ?? []);
  const exported = await pass(work, new FileSink(to));
  for (const file of former ?? []) if (!exported.files.has(file)) await to.remove(file);
  await to.write(EXPORT_RECORD, exportRecordText(recordOf(exported)));
  return exported;
}

function recordOf({ otherKinds: _, ...record }: Exported): ExportRecord {
  return record;
}

async function isOccupied(store: Store): Promise<boolean> {
  for await (const _ of store.list('')) return true;
  return false;
}

/** A first pass without writing, so that either everything is written or nothing. */
async function checkNothingLost(work: ExportWork, former: readonly string[]): Promise<void> {
  const { to } = work;
  const exported = await pass({ ...work, onItem: undefined }, new DigestSink());
  const files = new Map([...exported.files, recordDigest(exported)]);
  const different: string[] = [];
  for (const [file, { sha256 }] of files) {
    const there = await to.digest(file);
    if (there !== null && there.sha256 !== sha256) different.push(file);
  }
  const gone = former.filter((file) => !files.has(file));
  if (different.length + gone.length === 0) return;
  throw wouldReplace(to, [...different, ...gone]);
}

function recordDigest(exported: Exported): [string, FileDigest] {
  const text = exportRecordText(recordOf(exported));
  return [EXPORT_RECORD, digestOf(text)];
}

async function pass(work: ExportWork, sink: Sink): Promise<Exported> {
  const exporter = work.format.start(work.options);
  const leftOut: LeftOutItem[] = [];
  const notes: Remark[] = [];
  let [exported, otherKinds] = [0, 0];
  try {
    for await (const { listed, read } of readItems(work)) {
      work.onItem?.();
      if (read === null) {
        otherKinds += 1;
        continue;
      }
      const added = 'code' in read ? { leftOut: read } : exporter.add(read);
      if ('leftOut' in added) {
        leftOut.push({ id: listed.id, ...added.leftOut });
        continue;
      }
      for (const piece of added.pieces) await sink.take(piece);
      const messages = 'code' in read ? [] : [...itemNotes(read), ...(added.notes ?? [])];
      notes.push(...messages.map((message) => ({ id: listed.id, message })));
      exported += 1;
    }
    if (exported === 0) throw nothing(work, leftOut, otherKinds);
    for (const piece of exporter.end()) await sink.take(piece);
    const files = await sink.end();
    const { format, campaign } = work;
    const options = { ...work.options };
    return {
      format: format.name,
      campaign: campaign.name,
      options,
      exported,
      leftOut,
      notes,
      otherKinds,
      files,
    };
  } catch (error) {
    await sink.abandon(error);
    throw error;
  }
}

interface ReadItem {
  readonly listed: Listed;
  /** Null if the format does not support its kind. */
  readonly read: ExportItem | LeftOut | null;
}

/** In manifest order; some are read ahead. */
function readItems(work: ExportWork): AsyncGenerator<ReadItem> {
  const { store, campaign, format, options, wanted = () => true } = work;
  const structures = new StructureFolder(options.structureColumn, work.structures);
  async function* selected(): AsyncGenerator<Listed> {
    for await (const item of listedItems(store, campaign)) if (wanted(item)) yield item;
  }
  return inOrder(selected(), store.atOnce, async (listed): Promise<ReadItem> => {
    const { kind, record } = listed;
    if (kind !== null && !format.kinds.includes(kind)) return { listed, read: null };
    if (record?.state !== 'succeeded') return { listed, read: notSucceeded(listed) };
    return { listed, read: await readExportItem({ store, format, structures }, record) };
  });
}

function notSucceeded(item: Listed): LeftOut {
  const error = errorOf(item)?.code ?? null;
  return whyLeftOut('NOT_SUCCEEDED', { state: stateOf(item), error });
}

function wouldReplace(to: Store, files: readonly string[]): HundredfoldError {
  const shown = files.slice(0, 3).join(', ') + (files.length > 3 ? ', …' : '');
  return codedError('EXPORT_WOULD_REPLACE', { location: to.location, files: files.length, shown });
}

function nothing(
  { format, campaign }: ExportWork,
  leftOut: readonly LeftOutItem[],
  otherKinds: number,
): HundredfoldError {
  const [first] = leftOut;
  const isEmpty = first === undefined && otherKinds === 0;
  const reason = isEmpty
    ? 'no item was selected'
    : first === undefined
      ? `none of the ${otherKinds} selected items has a supported kind (${format.kinds.join(', ')})`
      : `all ${leftOut.length} items were left out, ${first.id} because ${first.message} (${first.code})`;
  return codedError('EXPORT_NOTHING', { campaign: campaign.name, format: format.name, reason });
}

/** In sentences without the id. */
export function itemNotes({ record, reading }: ExportItem): readonly string[] {
  const notes = warningsOf({ ...record, state: 'succeeded' }).map(({ message }) => message);
  if (record.engine === 'synthetic') {
    notes.push('its result comes from the synthetic engine and has no scientific meaning');
  }
  const guessed =
    reading?.kind === 'molecule'
      ? reading.estimated.filter(({ needsRevision }) => needsRevision).map(({ types }) => types)
      : [];
  if (guessed.length > 0) {
    notes.push(
      `parameters were guessed and need revision (ATTN in its frcmod): ${guessed.join(', ')}`,
    );
  }
  return notes;
}
