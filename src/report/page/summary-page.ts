/**
 * `report.html` of a campaign with more rows than a browser can show: counts, and links to the tables, which have every
 * row. It needs no script, and no row is kept in memory for it.
 */
import { Readable } from 'node:stream';
import { KINDS } from '../../domain/item.ts';
import { FINAL_STATES } from '../../domain/states.ts';
import {
  CAMPAIGN_SUMMARY,
  FAILED_TABLE,
  ITEMS_TABLE,
  MEASURE_TABLES,
  REPORT,
  RESULT_TABLES,
} from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import type { CampaignSummary } from '../campaign-summary.ts';
import type { FileWriter } from '../open-file.ts';
import type { PartsSink } from '../result-pass.ts';
import { escaped, pageHead } from './html.ts';
import { removeChunkFiles } from './item-chunks.ts';

/** A browser keeps all rows of the report in memory. */
export const MOST_ROWS_ON_PAGE = 100_000;

export class SummaryPage implements PartsSink {
  readonly #store: Store;
  readonly #files: FileWriter;
  readonly #mostRows: number;

  /** @param mostRows of a campaign with the whole report; named in the page */
  constructor(store: Store, files: FileWriter, mostRows: number) {
    this.#store = store;
    this.#files = files;
    this.#mostRows = mostRows;
  }

  add(): Promise<void> {
    return Promise.resolve();
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }

  async write(summary: CampaignSummary): Promise<void> {
    await removeChunkFiles(this.#store, { firstRows: [], embedded: 0 });
    const html = summaryHtml(summary, this.#mostRows);
    await this.#files.write(REPORT, Readable.from([Buffer.from(html)]));
  }
}

const LINKS = [ITEMS_TABLE, FAILED_TABLE, CAMPAIGN_SUMMARY, ...RESULT_TABLES, ...MEASURE_TABLES];

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem }
table { border-collapse: collapse }
th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: right }
th:first-child { text-align: left }
`;

function summaryHtml(summary: CampaignSummary, mostRows: number): string {
  const { name, items, startedAt, endedAt } = summary;
  const links = LINKS.map((key) => `<li><a href="${key}">${key}</a></li>`);
  return `${pageHead({ title: name, policy: POLICY, style: STYLE })}<body>
<h1>${escaped(name)}</h1>
<p><strong>${count(items.succeeded)} of ${count(items.total)} items succeeded</strong>, ${minute(startedAt)} to ${endedAt === null ? 'now' : minute(endedAt)} UTC (${summary.state}).</p>
${countsTable(summary)}
<p>A campaign of more than ${count(mostRows)} rows has no plots and no pages of single items. These tables have every row and every result:</p>
<ul>
${links.join('\n')}
</ul>
</body>
</html>
`;
}

function countsTable({ items, kinds }: CampaignSummary): string {
  const states = [...FINAL_STATES, 'open' as const].filter((state) => items[state] > 0);
  const row = (title: string, counts: typeof items): string =>
    `<tr><th scope="row">${title}</th>${['total' as const, ...states].map((state) => `<td>${count(counts[state])}</td>`).join('')}</tr>`;
  const heads = ['rows', ...states].map((head) => `<th scope="col">${head}</th>`).join('');
  const rows = KINDS.flatMap((kind) => {
    const counts = kinds[kind];
    return counts ? [row(kind, counts)] : [];
  });
  return `<table>\n<tr><th scope="col">kind</th>${heads}</tr>\n${[...rows, row('all', items)].join('\n')}\n</table>`;
}

/** Of an ISO 8601 time. */
const minute = (time: string): string => escaped(time.slice(0, 16).replace('T', ' '));

const count = (number: number): string => number.toLocaleString('en');
