/** `report.html`, built from the items one by one. */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { z } from 'zod';
import {
  type ChunkLayout,
  DATA_FOLDER,
  DELIVER,
  nameChunkFile,
  type PageData,
  type ServiceFacts,
  type Structures,
} from '../page-data.ts';
import { TRACK_FACTS } from '../../kinds/protein/reading.ts';
import { findShownService } from '../../services/registry.ts';
import { REPORT } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import type { CampaignSummary } from '../campaign-summary.ts';
import type { DerivedFiles, PublishedItem, Writer } from '../writer.ts';
import type { Portrait } from './formula.ts';
import { generatePage, type PagePieces } from './html.ts';
import { describeItem, TableRows } from './page-items.ts';

/** A chunk is closed at either limit: one item is shown at a time, and its neighbours are loaded with it. */
const MAX_ITEMS = 32;
const MAX_LETTERS = 256 * 1024;

/** Limit for all chunks in the page, in base64 characters: the page with its table and programs stays below 25 MB. */
const EMBEDDED_LETTERS = 16 * 1024 * 1024;

/** Higher levels hardly shrink numbers, and take three times as long. */
const LEVEL = 3;
const DEFLATE = { level: LEVEL, chunkSize: MAX_LETTERS };

const deflated = promisify(deflateRaw);

/**
 * The details of the items in deflated chunks: up to the size limit of a report they are kept for the page, the others
 * are written next to it immediately, so that memory stays constant.
 */
class ItemChunks {
  readonly #store: Store;
  readonly #mostEmbedded: number;
  readonly #firstRows: number[] = [];
  /** The chunks in the page, in base64. */
  readonly embedded: string[] = [];
  #embeddedLetters = 0;
  /** Keys of the others. */
  readonly #beside = new Set<string>();
  /** Of the items of the next chunk. */
  #open: string[] = [];
  #openLetters = 0;
  #rows = 0;
  /** The last chunk, deflated by another thread while the next is collected. */
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, mostEmbedded: number) {
    this.#store = store;
    this.#mostEmbedded = mostEmbedded;
  }

  /** @param text an `ItemDetail` as JSON */
  async add(text: string): Promise<void> {
    this.#open.push(text);
    this.#openLetters += text.length;
    this.#rows += 1;
    if (this.#open.length >= MAX_ITEMS || this.#openLetters >= MAX_LETTERS) await this.#close();
  }

  async end(): Promise<ChunkLayout> {
    if (this.#open.length > 0) await this.#close();
    await this.#last;
    await this.#store.flush(this.#beside);
    for (const key of await Array.fromAsync(this.#store.list(`${DATA_FOLDER}/`)))
      if (!this.#beside.has(key)) await this.#store.remove(key);
    return { firstRows: this.#firstRows, embedded: this.embedded.length };
  }

  async #close(): Promise<void> {
    const text = `[${this.#open.join(',')}]`;
    const chunk = this.#firstRows.push(this.#rows - this.#open.length) - 1;
    this.#open = [];
    this.#openLetters = 0;
    await this.#last;
    this.#last = this.#place(chunk, text);
    // Handled when it is awaited.
    this.#last.catch(() => undefined);
  }

  async #place(chunk: number, text: string): Promise<void> {
    const base64 = await packText(text);
    // After the first chunk that does not fit, all later ones are written next to the page too.
    const fits = this.#embeddedLetters + base64.length <= this.#mostEmbedded;
    if (fits && this.embedded.length === chunk) {
      this.embedded.push(base64);
      this.#embeddedLetters += base64.length;
    } else {
      const key = nameChunkFile(chunk);
      this.#beside.add(key);
      const script = `${DELIVER}(${chunk},"${base64}");\n`;
      await this.#store.write(key, script, { durable: false });
    }
  }
}

/** Deflated, in base64. */
async function packText(text: string): Promise<string> {
  return (await deflated(text, DEFLATE)).toString('base64');
}

export class ReportPage implements Writer {
  readonly #files: DerivedFiles;
  readonly #pieces: PagePieces;
  readonly #rows = new TableRows();
  readonly #chunks: ItemChunks;
  /** Of the molecules with a drawing. */
  readonly #structures = { rows: [] as number[], bits: [] as Buffer[] };
  #hasMolecules = false;

  /**
   * @param store gets the items that do not fit into the page
   * @param mostEmbedded maximum base64 characters of the items in the page
   */
  constructor(
    store: Store,
    files: DerivedFiles,
    pieces: PagePieces,
    mostEmbedded = EMBEDDED_LETTERS,
  ) {
    this.#files = files;
    this.#pieces = pieces;
    this.#chunks = new ItemChunks(store, mostEmbedded);
  }

  async add(one: PublishedItem): Promise<void> {
    const { portrait, reading } = one;
    if (portrait !== null) this.#addStructure(portrait);
    this.#hasMolecules ||= portrait !== null && reading !== null;
    this.#rows.add(one);
    await this.#chunks.add(JSON.stringify(describeItem(one)));
  }

  async end(summary: CampaignSummary): Promise<void> {
    const chunks = await this.#chunks.end();
    const pieces = this.#pieces;
    const { rows, bits } = this.#structures;
    const structures: Structures = { rows, fingerprints: Buffer.concat(bits).toString('base64') };
    const data = buildPageData(summary, this.#rows, chunks, rows.length);
    const file = this.#files.open(REPORT);
    for (const part of generatePage(pieces, {
      title: summary.name,
      data: await packText(JSON.stringify(data)),
      structures: rows.length === 0 ? null : await packText(JSON.stringify(structures)),
      chunks: this.#chunks.embedded,
      viewer: this.#hasMolecules ? await packText(pieces.viewer) : null,
      hasMore: chunks.embedded < chunks.firstRows.length,
    }))
      await file.write(part);
    await file.end();
  }

  #addStructure({ formula, fingerprint }: Portrait): void {
    if (formula.smiles === null || fingerprint === null) return;
    this.#structures.rows.push(this.#rows.length);
    this.#structures.bits.push(Buffer.from(fingerprint, 'base64'));
  }
}

function buildPageData(
  summary: CampaignSummary,
  rows: TableRows,
  chunks: PageData['chunks'],
  structures: number,
): PageData {
  const { name, state, items, kinds, versions, damaged, duplicates, cached, submissions } = summary;
  const startedAt = summary.started_at;
  return {
    name,
    state,
    startedAt,
    endedAt: summary.ended_at,
    soFar: summary.so_far ?? null,
    items,
    kinds,
    versions,
    damaged,
    duplicates,
    cached,
    submissions,
    rejected429: summary.rejected_429,
    chunks,
    runs: summary.runs.length,
    manifests: summary.manifests.map(({ file }) => file),
    services: listServices(summary.settings, rows),
    table: rows.table(startedAt, structures),
    codes: rows.codes(),
    tracks: TRACK_FACTS,
  };
}

const service = z.object({
  url: z.string(),
  budget: z
    .object({ windows: z.array(z.object({ limit: z.number(), windowMs: z.number() })) })
    .catch({ windows: [] }),
});
const settings = z.object({ services: z.record(z.string(), z.unknown()) });

/** As in campaign.json; unreadable entries are left out. */
function listServices(disk: CampaignSummary['settings'], rows: TableRows): readonly ServiceFacts[] {
  const services = settings.safeParse(disk).data?.services ?? {};
  return Object.entries(services).flatMap(([name, value]) => {
    const read = service.safeParse(value);
    if (!read.success) return [];
    const { url: address, budget } = read.data;
    const sent = rows.sent(name);
    const windows = budget.windows.map(({ limit, windowMs }) => ({
      limit,
      windowMs,
      fullest: countFullest(sent, windowMs),
    }));
    const { software } = findShownService(name);
    return [{ name, address, windows, accepted: sent.length, software }];
  });
}

/** The most jobs in a window that ends with one of them: a job leaves it one window after it was sent. */
function countFullest(sent: readonly number[], windowMs: number): number {
  let [first, most] = [0, 0];
  for (const [index, ms] of sent.entries()) {
    while ((sent[first] ?? ms) + windowMs <= ms) first += 1;
    most = Math.max(most, index + 1 - first);
  }
  return most;
}
