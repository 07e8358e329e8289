/** `hundredfold_mqc.json`: the items and their main measures as custom content of MultiQC (https://docs.seqera.io/multiqc). */
import type { Kind } from '../domain/campaign.ts';
import { listKindNames, findKind } from '../kinds/registry.ts';
import { MULTIQC } from '../store/layout.ts';
import { readState } from '../store/campaign-items.ts';
import type { CampaignSummary } from './campaign-summary.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';

export class MultiQc implements Writer {
  readonly #file: OpenFile;
  readonly #kinds = new Set<Kind>();
  #before = '{"data":{\n';

  constructor(files: DerivedFiles) {
    this.#file = files.open(MULTIQC);
  }

  /** Refused rows have no result, and their ids may not be unique. */
  async add({ item, measures }: PublishedItem): Promise<void> {
    if ('refused' in item) return;
    const { id, kind } = item;
    this.#kinds.add(kind);
    const values = Object.entries(measures ?? {}).filter(
      ([key, value]) => value !== null && findKind(kind).measures[key]?.isMain === true,
    );
    const cells = Object.fromEntries(values.map(([key, value]) => [nameColumn(kind, key), value]));
    const row = { state: readState(item), kind, ...cells };
    await this.#file.write(`${this.#before}${JSON.stringify(id)}:${JSON.stringify(row)}`);
    this.#before = ',\n';
  }

  async end(summary: CampaignSummary): Promise<void> {
    const beginning = this.#before === ',\n' ? '' : this.#before;
    const rest = JSON.stringify(buildSection(summary, this.#headers())).slice(1);
    await this.#file.write(`${beginning}},\n${rest}\n`);
    await this.#file.end();
  }

  #headers(): Readonly<Record<string, unknown>> {
    const measures = listKindNames()
      .filter((kind) => this.#kinds.has(kind))
      .flatMap((kind) =>
        Object.entries(findKind(kind).measures).map((one) => [kind, ...one] as const),
      )
      .filter(([, , { isMain }]) => isMain)
      .map(([kind, key, { title, unit, meaning, decimals }]) => [
        nameColumn(kind, key),
        {
          title,
          description: meaning,
          ...(unit !== '' && { suffix: ` ${unit}` }),
          format: `{:,.${decimals}f}`,
          // Of one scale only within its kind.
          namespace: kind,
        },
      ]);
    return {
      state: { title: 'State', description: 'How the item ended' },
      kind: { title: 'Kind', description: 'What the item is' },
      ...(Object.fromEntries(measures) as Record<string, unknown>),
    };
  }
}

/** Several kinds may have a measure of one name. */
function nameColumn(kind: Kind, key: string): string {
  return `${kind}_${key}`;
}

function buildSection({ name, items, so_far }: CampaignSummary, headers: unknown): unknown {
  const soFar = so_far ? `, so far ${so_far.ended} of ${so_far.items} ended` : '';
  return {
    id: 'hundredfold',
    section_name: `hundredfold: ${name}`,
    description: `${items.succeeded} of ${items.total} items succeeded${soFar}.`,
    plot_type: 'table',
    pconfig: { id: 'hundredfold_items', title: `hundredfold: items of ${name}` },
    headers,
  };
}
