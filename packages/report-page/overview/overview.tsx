/** The results of the campaign, and its failures. */
import type { PageData } from '../../../src/report/page-data.ts';
import { engineKind } from '../item/engine-mark.tsx';
import type { Column } from '../items/columns.ts';
import { counted, countText } from '../words.ts';
import { CountTable } from './count-table.tsx';
import { FailureTable } from './failures.tsx';
import { Results } from './results.tsx';
import { Submissions } from './submissions.tsx';
import { Times } from './times.tsx';

interface OverviewProps {
  readonly data: PageData;
  readonly columns: readonly Column[];
}

export function Overview({ data, columns }: OverviewProps) {
  return (
    <section aria-label="Overview" class="overview">
      <Warnings data={data} />
      <CountTable data={data} />
      <Results table={data.table} columns={columns} />
      <FailureTable table={data.table} />
    </section>
  );
}

/** Important warnings: synthetic results, files that differ from what was received. */
function Warnings({ data }: { readonly data: PageData }) {
  const { engine, state } = data.table;
  const of = (kind: string): number =>
    engine.filter((one, n) => state[n] === 'succeeded' && one !== null && engineKind(one) === kind)
      .length;
  const [synthetic, recorded] = [of('synthetic'), of('recorded')];
  return (
    <>
      {synthetic > 0 && (
        <p class="notice strong">
          <strong>{counted(synthetic, 'result')} synthetic.</strong> The local test services made
          them up: the format is right, the values mean nothing.
        </p>
      )}
      {recorded > 0 && (
        <p class="notice">
          <strong>{counted(recorded, 'result')} recorded.</strong> The local services answered with
          outputs that the real engines gave earlier for the same inputs.
        </p>
      )}
      {data.damaged.length > 0 && (
        <details class="notice strong">
          <summary>{counted(data.damaged.length, 'file')} changed since they were received</summary>
          <ul>
            {data.damaged.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** How the jobs ran: submissions, times, and settings. Collapsed, because results come first. */
export function Logistics({ data }: { readonly data: PageData }) {
  const { submissions, rejected429 } = data;
  return (
    <details class="logistics">
      <summary>
        <h2>Logistics</h2>{' '}
        <span class="quiet">
          {countText(submissions)} jobs submitted, {countText(rejected429)} rejected by the rate
          limit
        </span>
      </summary>
      <Facts data={data} />
      <Submissions data={data} />
      <Times data={data} />
    </details>
  );
}

function Facts({ data }: { readonly data: PageData }) {
  const { submissions, rejected429, duplicates, cached, runs } = data;
  const facts: readonly (readonly [string, string])[] = [
    ['Jobs submitted', countText(submissions)],
    ['Rejected by the rate limit (429)', countText(rejected429)],
    ['Share the job of another row', countText(duplicates)],
    ['Reused from earlier campaigns', countText(cached)],
    ['Runs', countText(runs)],
    ['Manifests', data.manifests.join(', ')],
    [
      'Versions',
      Object.entries(data.versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ],
  ];
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
