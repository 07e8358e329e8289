/** Exports the items of an output tree: reads them one after the other, and writes the files of a format. */
import { z } from 'zod';
import { HundredfoldError } from '../domain/errors.ts';
import { runInOrder } from '../domain/process.ts';
import { parseJson } from '../kinds/json.ts';
import { checkFiles, listFilesNamed, listFilesToRead, readResult } from '../report/audit.ts';
import { readError, readListedItems, readState, type Listed } from '../store/campaign-items.ts';
import { type ItemRecord, listWarnings } from '../store/item-record.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { FileDigest, Store } from '../store/store.ts';
import {
  type ExportFile,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  type ResultReading,
} from './format.ts';
import { gromacs } from './gromacs.ts';
import { openmm, sdf, smi } from './molecules.ts';
import { pdb } from './pdb.ts';
import { gff, jalview } from './proteins.ts';

/** In the order of `--list`. */
export const FORMATS: readonly ExportFormat[] = [gromacs, openmm, sdf, smi, gff, jalview, pdb];

/** @throws HundredfoldError `USAGE` */
export function findExportFormat(name: string): ExportFormat {
  const found = FORMATS.find((format) => format.name === name);
  if (found !== undefined) return found;
  throw new HundredfoldError(
    'USAGE',
    `there is no export format ${JSON.stringify(name)}`,
    `One of ${FORMATS.map((format) => format.name).join(', ')}; "hundredfold export --list" shows what each contains.`,
  );
}

/** What an export contains, what was left out and why. It makes the next export to the same folder safe. */
export const EXPORT_RECORD = 'export.json';
const README = 'README.md';

export interface ExportWork {
  /** The tree. */
  readonly store: Store;
  readonly campaign: PreparedCampaign;
  readonly format: ExportFormat;
  /** The track for B factors and for alignments, by the payload's key; the default is `backbone`. */
  readonly predictor?: string | undefined;
  /** Which items to export; the default is all. */
  readonly selection?: ((item: Listed) => boolean) | undefined;
  /** The target. */
  readonly to: Store;
  /** Whether files that are not those of an earlier export may be overwritten. */
  readonly replace?: boolean | undefined;
  /** Called after each item; may throw to abort. */
  readonly onItem?: (() => void) | undefined;
}

/** A remark of the export about an item. */
export interface Remark {
  /** Id of the item. */
  readonly id: string;
  /** One sentence. */
  readonly message: string;
}

/** An item that is missing from the files. */
export interface LeftOutItem extends Remark {
  /** Reason, as in docs/export.md. */
  readonly code: string;
}

/** What an export wrote, and what it skipped. */
export interface Exported {
  /** Name of the format. */
  readonly format: string;
  /** Name of the campaign. */
  readonly campaign: string;
  /** Items in the files. */
  readonly exported: number;
  /** Selected items that are missing from the files. */
  readonly leftOut: readonly LeftOutItem[];
  /** Remarks about exported items. */
  readonly notes: readonly Remark[];
  /** Selected items of kinds that the format does not support. */
  readonly otherKinds: number;
  /** The files, with their digests; paths are relative to the folder. */
  readonly files: ReadonlyMap<string, FileDigest>;
}

/**
 * Files of an earlier export are replaced, and removed if they are no longer written; files that were changed since, or
 * that are not of an export, are not. An export that is interrupted leaves none of its files.
 *
 * @throws HundredfoldError `EXPORT_WOULD_REPLACE`, `EXPORT_NOTHING`
 * @throws StoreError
 */
export async function exportTree(work: ExportWork): Promise<Exported> {
  const { to, replace = false } = work;
  const former = await readFormerFiles(to, replace);
  const files = new Map<string, FileDigest>();
  const write = async ({ file, text }: ExportFile): Promise<void> => {
    if (!replace && !former.has(file) && (await to.exists(file)))
      throw createReplaceError(to, [file]);
    files.set(file, await to.write(file, text, { durable: false }));
  };
  try {
    const { ids, synthetic, ...found } = await writeItems(work, write);
    await write({ file: README, text: writeReadme(work, { ...found, ids, synthetic }) });
    await to.flush(files.keys());
    for (const file of former) if (!files.has(file)) await to.remove(file);
    const head = { format: work.format.name, campaign: work.campaign.name, exported: ids.length };
    const exported = { ...head, ...found, files };
    await to.write(EXPORT_RECORD, recordText(exported));
    return exported;
  } catch (error) {
    for (const file of files.keys()) await to.remove(file);
    throw error;
  }
}

function recordText({ files, leftOut, otherKinds: _, ...head }: Exported): string {
  const document = { ...head, left_out: leftOut, files: Object.fromEntries(files) };
  return `${JSON.stringify(document, null, 1)}\n`;
}

const record = z.object({ files: z.record(z.string(), z.object({ sha256: z.string() })) });

/** The files of the earlier export in the folder. @throws HundredfoldError `EXPORT_WOULD_REPLACE`: they were changed */
async function readFormerFiles(to: Store, replace: boolean): Promise<ReadonlySet<string>> {
  const text = await to.readText(EXPORT_RECORD);
  if (text === null) return new Set();
  const { data } = record.safeParse(parseJson(text));
  const changed = data === undefined ? [EXPORT_RECORD] : [];
  for (const [file, { sha256 }] of Object.entries(data?.files ?? {})) {
    const found = replace ? null : await to.digest(file);
    if (found !== null && found.sha256 !== sha256) changed.push(file);
  }
  if (changed.length > 0 && !replace) throw createReplaceError(to, changed);
  return new Set(Object.keys(data?.files ?? {}));
}

interface Found extends Pick<Exported, 'leftOut' | 'notes' | 'otherKinds'> {
  /** Of the exported items. */
  readonly ids: readonly string[];
  /** How many of them are of the synthetic engine. */
  readonly synthetic: number;
}

async function writeItems(
  work: ExportWork,
  write: (file: ExportFile) => Promise<void>,
): Promise<Found> {
  const exporter = work.format.start(work.predictor ?? 'backbone');
  const [ids, leftOut, notes]: [string[], LeftOutItem[], Remark[]] = [[], [], []];
  let [otherKinds, synthetic] = [0, 0];
  for await (const { listed, read } of readItems(work)) {
    work.onItem?.();
    const { id } = listed;
    if (read === null) {
      otherKinds += 1;
      continue;
    }
    try {
      if (read instanceof LeftOut) throw read;
      const added = await exporter.add(read);
      for (const file of added.files ?? []) await write(file);
      const messages = [...listItemNotes(read), ...(added.notes ?? [])];
      notes.push(...messages.map((message) => ({ id, message })));
      if (read.record.engine === 'synthetic') synthetic += 1;
      ids.push(id);
    } catch (error) {
      const { code, message } = toLeftOut(error);
      leftOut.push({ id, code, message });
    }
  }
  if (ids.length === 0) throw createNothingError(work, leftOut);
  for (const file of exporter.end?.() ?? []) await write(file);
  return { ids, leftOut, notes, otherKinds, synthetic };
}

/** @throws every other error */
function toLeftOut(error: unknown): LeftOut {
  if (error instanceof LeftOut) return error;
  throw error;
}

interface ReadItem {
  readonly listed: Listed;
  /** Null if the format does not support its kind. */
  readonly read: ExportItem | LeftOut | null;
}

/** In manifest order; some are read ahead. */
function readItems(work: ExportWork): AsyncGenerator<ReadItem> {
  const { store, campaign, format, selection = () => true } = work;
  async function* listSelected(): AsyncGenerator<Listed> {
    for await (const item of readListedItems(store, campaign)) if (selection(item)) yield item;
  }
  return runInOrder(listSelected(), store.atOnce, async (listed): Promise<ReadItem> => {
    const { kind, record } = listed;
    if (kind !== null && !format.kinds.includes(kind)) return { listed, read: null };
    if (record?.state === 'succeeded')
      return { listed, read: await readExportItem(store, format, record).catch(toLeftOut) };
    const { code } = readError(listed) ?? {};
    const why = `it is ${readState(listed)}${code === undefined ? '' : `: ${code}`}`;
    return { listed, read: new LeftOut('NOT_SUCCEEDED', why) };
  });
}

/** @throws LeftOut; StoreError except for a damaged file */
async function readExportItem(
  store: Store,
  format: ExportFormat,
  record: ItemRecord,
): Promise<ExportItem> {
  const { id, input, adopted } = record;
  const named = (format.files ?? []).map((ending) => {
    const [name] = listFilesNamed(record, ending);
    if (name !== undefined) return [ending, name] as const;
    throw new LeftOut('FILE_MISSING', `its record lists no file that ends in ${ending}`);
  });
  const reads = [...named.map(([, name]) => name), ...listFilesToRead(record), input.name];
  const { faults, texts } = await checkFiles(store, record, reads);
  for (const { message, isMissing } of faults)
    throw new LeftOut(isMissing ? 'FILE_MISSING' : 'FILE_DAMAGED', message.replace(/\.$/, ''));
  const files = Object.fromEntries(named.map(([ending, name]) => [ending, texts.get(name) ?? '']));
  const reading = readResult(record, texts) as ResultReading | null;
  const text = texts.get(input.name) ?? '';
  const given = adopted?.inputKnown === false ? null : { name: input.name, text };
  return { id, record, files, reading, input: given };
}

function writeReadme({ format, campaign }: ExportWork, found: Found): string {
  const { ids, leftOut, synthetic } = found;
  const [id = ''] = ids;
  const count = `${ids.length} of ${ids.length + leftOut.length} items`;
  const made = `\`hundredfold export ${campaign.name} --to ${format.name}\``;
  const warning = `**${synthetic} of them are SYNTHETIC: made by the synthetic engine, without scientific meaning.**`;
  return [
    `# ${campaign.name}, for ${format.loadedBy}`,
    `${count}, written by ${made}: ${format.content}. \`${EXPORT_RECORD}\` has notes on items, why others were left out, and the SHA-256 of each file.`,
    ...(synthetic > 0 ? [warning] : []),
    '## Next',
    `${format.next(id)}\n`,
  ].join('\n\n');
}

function createReplaceError(to: Store, files: readonly string[]): HundredfoldError {
  const shown = files.slice(0, 3).join(', ') + (files.length > 3 ? ', …' : '');
  return new HundredfoldError(
    'EXPORT_WOULD_REPLACE',
    `${to.location} has files that this export would replace, and that no export has written: ${shown} (${files.length})`,
    'They were not changed. Choose another folder with --out, or overwrite them with --replace.',
  );
}

function createNothingError(
  { format, campaign }: ExportWork,
  [first, ...others]: readonly LeftOutItem[],
): HundredfoldError {
  const reason =
    first === undefined
      ? `no item of a supported kind (${format.kinds.join(', ')}) was selected`
      : `all ${others.length + 1} items were left out, ${first.id} because ${first.message} (${first.code})`;
  return new HundredfoldError(
    'EXPORT_NOTHING',
    `${campaign.name} has nothing for ${format.name}: ${reason}`,
    `"hundredfold items ${campaign.name}" shows the items, "hundredfold export --list" what each format supports.`,
  );
}

/** In sentences without the id. */
export function listItemNotes(item: ExportItem): readonly string[] {
  const { record, reading } = item;
  const notes = listWarnings({ ...record, state: 'succeeded' }).map(({ message }) => message);
  if (record.engine === 'synthetic')
    notes.push('its result comes from the synthetic engine and has no scientific meaning');
  const estimated = reading?.kind === 'molecule' ? reading.estimated : [];
  const guessed = estimated.filter(({ needsRevision }) => needsRevision).map(({ types }) => types);
  if (guessed.length > 0)
    notes.push(
      `parameters were guessed and need revision (ATTN in its frcmod): ${guessed.join(', ')}`,
    );
  return notes;
}
