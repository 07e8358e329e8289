/** `report.html`, built from the items one by one. */
import { z } from 'zod';
import type { PageData, ServiceFacts, Structures } from '../page-data.ts';
import { TRACK_FACTS } from '../../kinds/protein/reading.ts';
import { findShownService } from '../../services/registry.ts';
import { REPORT } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import type { CampaignSummary } from '../campaign-summary.ts';
import type { DerivedFiles, PublishedItem, Writer } from '../writer.ts';
import type { Portrait } from './formula.ts';
import { generatePage, type PagePieces } from './html.ts';
import { EMBEDDED_LETTERS, ItemChunks, packText } from './item-chunks.ts';
import { describeItem } from './item-detail.ts';
import { TableRows } from './table-rows.ts';

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
