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
        <ServiceLine key={service.name} service={service} sent={data.sent[service.name] ?? []} />
      ))}
    </details>
  );
}

interface ServiceProps {
  readonly service: ServiceFacts;
  /** ms after the start, ascending. */
  readonly sent: readonly number[];
}

/** How far each limit was used. */
function ServiceLine({ service: { name, address, windows }, sent }: ServiceProps) {
  if (sent.length === 0) return null;
  const words = windows.map(
    ({ limit, windowMs }) =>
      `at most ${countText(countFullest(sent, windowMs))} sent in any ${formatDuration(windowMs)}, of ${countText(limit)} allowed`,
  );
  return (
    <p>
      <strong>{name}</strong> <span class="quiet">({address})</span>:{' '}
      {formatCount(sent.length, 'job')} accepted; {words.join(' and ') || 'no rate limit'}.
    </p>
  );
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
