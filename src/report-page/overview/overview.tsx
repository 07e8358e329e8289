/** How the campaign went, on one screen. */
import type { PageData } from '../data.ts';
import { engineKind } from '../item/engine-mark.tsx';
import { counted, countText } from '../words.ts';
import { CountTable } from './count-table.tsx';
import { FailureTable } from './failures.tsx';
import { Submissions } from './submissions.tsx';
import { Times } from './times.tsx';

export function Overview({ data }: { readonly data: PageData }) {
  return (
    <section aria-label="Overview" class="overview">
      <Warnings data={data} />
      <div class="summary">
        <CountTable data={data} />
        <Facts data={data} />
      </div>
      <FailureTable table={data.table} />
      <Submissions data={data} />
      <Times data={data} />
    </section>
  );
}

/** What nobody may overlook: results that are no science, files that are not what was received. */
function Warnings({ data }: { readonly data: PageData }) {
  const { engine } = data.table;
  const of = (kind: string): number =>
    engine.filter((one) => one !== null && engineKind(one) === kind).length;
  const [synthetic, recorded] = [of('synthetic'), of('recorded')];
  return (
    <>
      {synthetic > 0 && (
        <p class="notice strong">
          <strong>{counted(synthetic, 'result')} synthetic.</strong> They were made up by the local
          test services: right in shape, no science.
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
          <summary>{counted(data.damaged.length, 'file')} not as received</summary>
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

function Facts({ data }: { readonly data: PageData }) {
  const { submissions, rejected429, duplicates, cached, runs } = data;
  const facts: readonly (readonly [string, string])[] = [
    ['Jobs submitted', countText(submissions)],
    ['Refused as too many (429)', countText(rejected429)],
    ['Served by another row’s job', countText(duplicates)],
    ['From earlier campaigns', countText(cached)],
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
