/** How the jobs ran: submissions against the limit. Folded, because results come first. */
import type { PageData, ServiceFacts } from '../../src/report/page-data.ts';
import { type Entry, Terms } from './facts.tsx';
import { formatCount, countText, formatDuration } from './words.ts';

export function Logistics({ data }: { readonly data: PageData }) {
  const { submissions, rejected429, duplicates, cached } = data;
  const facts: Entry[] = [
    ['Jobs submitted', countText(submissions)],
    ['Rejected by the rate limit (429)', countText(rejected429)],
    ['Share the job of another row', countText(duplicates)],
    ['Reused from earlier campaigns', countText(cached)],
    ['Runs', countText(data.runs)],
    ['Manifests', data.manifests.join(', ')],
    [
      'Versions',
      Object.entries(data.versions)
        .map((version) => version.join(' '))
        .join(', '),
    ],
  ];
  return (
    <details class="logistics">
      <summary>
        <h2>Logistics</h2>{' '}
        <span class="quiet">
          {countText(submissions)} jobs submitted, {countText(rejected429)} rejected by the rate
          limit
        </span>
      </summary>
      <Terms entries={facts} />
      {data.services.map((service) => (
        <ServiceLine key={service.name} service={service} />
      ))}
    </details>
  );
}

/** How far each limit was used. */
function ServiceLine({ service }: { readonly service: ServiceFacts }) {
  const { name, address, windows, accepted } = service;
  if (accepted === 0) return null;
  const words = windows.map(
    ({ limit, windowMs, fullest }) =>
      `at most ${countText(fullest)} sent in any ${formatDuration(windowMs)}, of ${countText(limit)} allowed`,
  );
  return (
    <p>
      <strong>{name}</strong> <span class="quiet">({address})</span>: {formatCount(accepted, 'job')}{' '}
      accepted; {words.join(' and ') || 'no rate limit'}.
    </p>
  );
}
