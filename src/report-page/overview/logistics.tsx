/** How the jobs ran: submissions, times, and settings. Collapsed, because results come first. */
import type { PageData } from '../data.ts';
import { countText } from '../words.ts';
import { Submissions } from './submissions.tsx';
import { Times } from './times.tsx';

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
