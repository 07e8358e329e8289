/** Everything known about an item's job, and its files. */
import type { ComponentChildren } from 'preact';
import type { ItemFacts, PageData } from '../../src/report/page-data.ts';
import { findRow, formatItemHash } from './route.ts';
import { formatDuration, formatMoment, formatSize } from './words.ts';

interface FactsProps {
  readonly data: PageData;
  readonly row: number;
  readonly facts: ItemFacts | null;
}

export function FactsView({ data, row, facts }: FactsProps) {
  const own = data.table.own.map(({ name, values }): Entry => [name, values[row] ?? '']);
  return (
    <>
      <section aria-labelledby="job">
        <h2 id="job">Job</h2>
        <Terms entries={listTerms(data, row, facts)} />
        {facts !== null && <Origin data={data} facts={facts} />}
      </section>
      <section aria-labelledby="own" hidden={own.every(([, value]) => value === '')}>
        <h2 id="own">Your columns</h2>
        <Terms entries={own} />
      </section>
      {facts !== null && <Attempts facts={facts} />}
      {facts !== null && <Files facts={facts} />}
    </>
  );
}

/** `meaning` is for the pointer. */
export type Entry = readonly [term: string, value: ComponentChildren, meaning?: string];

/** Only entries with a value. */
export function Terms({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <dl class="facts">
      {entries
        .filter(([, value]) => value !== null && value !== '')
        .map(([term, value, meaning]) => (
          <div key={term} title={meaning}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function listTerms({ table, startedAt }: PageData, row: number, facts: ItemFacts | null): Entry[] {
  const start = Date.parse(startedAt);
  const [from, to] = [table.submitted[row] ?? null, table.finished[row] ?? null];
  const moment = (ms: number | null): string | null =>
    ms === null ? null : formatMoment(new Date(start + ms).toISOString());
  const job: Entry[] = [
    ['Accepted by the service', moment(from)],
    ['Ended', moment(to)],
    [
      'Time from acceptance to end',
      from === null || to === null ? null : formatDuration(to - from),
    ],
    ['Remote id', table.remoteId[row] ?? null],
  ];
  if (facts === null) return job;
  const { title, service, address, jobName, timing, source, options } = facts;
  const seconds = (time: number | null): string | null =>
    time === null ? null : formatDuration(time * 1000);
  return [
    ['Title', title],
    ['Service', address === null ? service : `${service} at ${address}`],
    ...job,
    ['Time in the service’s queue', seconds(timing.queuedSeconds)],
    ['Run time reported by the service', seconds(timing.ranSeconds)],
    ['Job name', jobName],
    ...Object.entries(options),
    ['Manifest row', source],
  ];
}

/** Of a result without a job of its own. */
function Origin({ data, facts }: { readonly data: PageData; readonly facts: ItemFacts }) {
  const { id = '', campaign = null } = facts.resultFrom ?? {};
  if (id === '') return null;
  const row = campaign === null ? findRow(data.table, id, null) : null;
  return (
    <p>
      The result is that of {row === null ? id : <a href={formatItemHash(data.table, row)}>{id}</a>}
      {campaign !== null && ` in the earlier campaign ${campaign}`}, which asks for the same: no job
      was submitted.
    </p>
  );
}

function Attempts({ facts: { attempts, earlier } }: { readonly facts: ItemFacts }) {
  if (attempts.length < 2 && earlier.length === 0) return null;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts to submit</h2>
      <ul>
        {attempts.map(({ at, outcome, message, remoteId }, place) => (
          <li key={place}>
            {formatMoment(at)}: {outcome} <span class="quiet">{message ?? remoteId}</span>
          </li>
        ))}
      </ul>
      {earlier.map(({ state, code, retriedAt }) => (
        <p key={retriedAt} class="quiet">
          Earlier run: {state}
          {code !== null && ` (${code})`}, retried {formatMoment(retriedAt)}.
        </p>
      ))}
    </section>
  );
}

function Files({ facts: { folder, files } }: { readonly facts: ItemFacts }) {
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <ul class="files">
        {Object.entries(files).map(([name, bytes]) => (
          <li key={name}>
            <a href={buildHref(folder, name)}>{name}</a>{' '}
            {bytes !== null && <span class="quiet">{formatSize(bytes)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Relative to report.html. A name may contain characters that are special in a URL. */
function buildHref(folder: string, name: string): string {
  return [...folder.split('/'), name].map(encodeURIComponent).join('/');
}
