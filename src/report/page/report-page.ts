/** `report.html`, built from the items one by one. */
import { z } from 'zod';
import type { PageData, ServiceFacts, Structures } from '../page-data.ts';
import { TRACK_FACTS } from '../../kinds/protein/reading.ts';
import { findKind } from '../../kinds/registry.ts';
import { findShownService } from '../../services/registry.ts';
import { REPORT } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import type { CampaignSummary } from '../campaign-summary.ts';
import type { FileWriter, PublishedItem, Writer } from '../writer.ts';
import { findFormulaSource, drawPortrait, type Portrait } from './formula.ts';
import { generatePage, readPagePieces, type PagePieces } from './html.ts';
import { EMBEDDED_LETTERS, ItemChunks, packText, removeChunkFiles } from './item-chunks.ts';
import { type DetailText, serializeDetail, withFormula } from './item-detail.ts';
import { TableRows } from './table-rows.ts';

/** Items whose formula is being drawn: enough to keep the thread busy, few enough for memory. */
const AHEAD = 32;

interface Drawn {
  readonly text: DetailText;
  /** Null if it is not a molecule. */
  readonly portrait: Portrait | null;
}

interface PageOptions {
  /** Maximum base64 characters of the items in the page; the others are next to it. */
  readonly mostEmbedded?: number;
  /** Writes report.html; the default is the store. */
  readonly files?: FileWriter;
}

export class ReportPage implements Writer {
  readonly #store: Store;
  readonly #files: FileWriter;
  readonly #pieces: PagePieces;
  readonly #rows = new TableRows();
  readonly #chunks: ItemChunks;
  #hasMolecules = false;
  /** In item order. */
  readonly #underWay: Promise<Drawn>[] = [];
  readonly #structures = new StructureList();
  /** Number of items whose detail was taken. */
  #taken = 0;

  /**
   * @throws HundredfoldError `PACKAGE_INCOMPLETE`
   */
  static async open(store: Store, options: PageOptions = {}): Promise<ReportPage> {
    const { mostEmbedded = EMBEDDED_LETTERS, files = store } = options;
    return new ReportPage(store, files, await readPagePieces(), mostEmbedded);
  }

  private constructor(store: Store, files: FileWriter, pieces: PagePieces, mostEmbedded: number) {
    this.#store = store;
    this.#files = files;
    this.#pieces = pieces;
    this.#chunks = new ItemChunks(store, mostEmbedded);
  }

  async add(one: PublishedItem): Promise<void> {
    this.#rows.add(one);
    const { record } = one.item;
    const hasFormula = record !== null && findKind(record.kind).formula !== undefined;
    this.#hasMolecules ||= hasFormula && one.reading !== null;
    const detail = drawDetail(one);
    // Handled when it is awaited.
    detail.catch(() => undefined);
    this.#underWay.push(detail);
    if (this.#underWay.length > AHEAD) await this.#takeFirst();
  }

  async abandon(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async end(summary: CampaignSummary): Promise<void> {
    while (this.#underWay.length > 0) await this.#takeFirst();
    const chunks = await this.#chunks.end();
    await removeChunkFiles(this.#store, chunks);
    const pieces = this.#pieces;
    const structures = this.#structures.all();
    const data = buildPageData(summary, this.#rows, chunks, structures?.rows.length ?? 0);
    const html = generatePage(pieces, {
      title: summary.name,
      data: await packText(JSON.stringify(data)),
      structures: structures === null ? null : await packText(JSON.stringify(structures)),
      chunks: this.#chunks.embedded,
      viewer: this.#hasMolecules ? await packText(pieces.viewer) : null,
      hasMore: chunks.embedded < chunks.firstRows.length,
    });
    await this.#files.write(REPORT, encodeParts(html));
  }

  async #takeFirst(): Promise<void> {
    const detail = await this.#underWay.shift();
    if (detail === undefined) return;
    if (detail.portrait !== null) this.#structures.add(this.#taken, detail.portrait);
    this.#taken += 1;
    await this.#chunks.add(detail.text);
  }
}

async function drawDetail({ item, reading, texts }: PublishedItem): Promise<Drawn> {
  const { record } = item;
  const input = record && (texts.get(record.input.name) ?? null);
  const source = record && findFormulaSource(record, reading, input);
  // Not the result, which is far larger than its text.
  const text = serializeDetail({ item, reading });
  if (source === null) return { text: withFormula(text, null), portrait: null };
  const drawn = await drawPortrait(source);
  return { text: withFormula(text, drawn.formula), portrait: drawn };
}

async function* encodeParts(parts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
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
    services: listServices(summary.settings),
    sent: rows.sent(startedAt),
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
function listServices(disk: CampaignSummary['settings']): readonly ServiceFacts[] {
  const services = settings.safeParse(disk).data?.services ?? {};
  return Object.entries(services).flatMap(([name, value]) => {
    const read = service.safeParse(value);
    if (!read.success) return [];
    const { url: address, budget } = read.data;
    const { software } = findShownService(name);
    return [
      {
        name,
        address,
        windows: budget.windows,
        software: software && {
          name: software.name,
          url: software.url,
          citation: software.citation,
        },
      },
    ];
  });
}

/** The molecules of a report with their SMILES and fingerprints, in item order. */
class StructureList {
  readonly #rows: number[] = [];
  readonly #smiles: string[] = [];
  readonly #fingerprints: Buffer[] = [];

  /** Molecules without a drawing are left out. */
  add(row: number, { formula, fingerprint }: Portrait): void {
    if (formula.smiles === null || fingerprint === null) return;
    this.#rows.push(row);
    this.#smiles.push(formula.smiles);
    this.#fingerprints.push(Buffer.from(fingerprint, 'base64'));
  }

  /** Null if there are none. */
  all(): Structures | null {
    if (this.#rows.length === 0) return null;
    const rows = this.#rows;
    const smiles = this.#smiles;
    return { rows, smiles, fingerprints: Buffer.concat(this.#fingerprints).toString('base64') };
  }
}
