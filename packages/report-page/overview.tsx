/**
 * How the campaign went: important warnings, items by kind and state, failures by reason, a text for a paper, the files
 * next to the report, and how the jobs ran.
 */
import type { ComponentChildren } from 'preact';
import type {
  Counts,
  ItemTable,
  KindFacts,
  PageData,
  ServiceFacts,
} from '../../src/report/page-data.ts';
import type { Column } from './columns.ts';
import { type Entry, Terms } from './facts.tsx';
import { Results } from './results.tsx';
import { formatHash } from './route.ts';
import { StateMark } from './rows.tsx';
import { CopyLine } from './take.tsx';
import { formatCount, countText, formatDate, formatDuration } from './words.ts';

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
      <Failures data={data} />
      <Methods data={data} />
      <FileLinks before="Files next to this report:" files={listFiles(data.table)} />
    </section>
  );
}

/** `real` from `real, ACPYPE 2023.10.27`. */
export function toEngineKind(engine: string): string {
  return engine.split(',', 1)[0] ?? '';
}

/** Synthetic results, and files that differ from what was received. */
function Warnings({ data }: { readonly data: PageData }) {
  const { engine, state } = data.table;
  const count = (kind: string): number =>
    engine.filter((one, n) => state[n] === 'succeeded' && toEngineKind(one ?? '') === kind).length;
  const [synthetic, recorded] = [count('synthetic'), count('recorded')];
  return (
    <>
      {synthetic > 0 && (
        <p class="notice strong">
          <strong>{formatCount(synthetic, 'result')} synthetic.</strong> The local test services
          made them up: the format is right, the values mean nothing.
        </p>
      )}
      {recorded > 0 && (
        <p class="notice">
          <strong>{formatCount(recorded, 'result')} recorded.</strong> The local services answered
          with outputs that the real engines gave earlier for the same inputs.
        </p>
      )}
      {data.damaged.length > 0 && (
        <details class="notice strong">
          <summary>
            {formatCount(data.damaged.length, 'file')} changed since they were received
          </summary>
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

type State = Exclude<keyof Counts, 'total'>;

const STATES: readonly State[] = ['succeeded', 'failed', 'held', 'cancelled', 'invalid', 'open'];

/** Items by kind and state, as a bar and as a table; every number links to its rows. */
function CountTable({ data }: { readonly data: PageData }) {
  const { items, kinds, table } = data;
  const states = STATES.filter((state) => state === 'succeeded' || items[state] > 0);
  const head = (name: State | 'all') => (
    <th key={name} scope="col" class="number">
      {name === 'all' ? name : <StateMark state={name} />}
    </th>
  );
  return (
    <div class="counts">
      <p class="headline">
        <strong>{countText(items.succeeded)}</strong> of {formatCount(items.total, 'item')}{' '}
        succeeded
      </p>
      {items.succeeded < items.total && (
        <div class="bar" aria-hidden="true">
          {states.map((state) => (
            <span
              key={state}
              style={{ flex: `${items[state]} 0 3px`, background: `var(--state-${state})` }}
              title={`${countText(items[state])} ${state}`}
            />
          ))}
        </div>
      )}
      <table>
        <caption class="hidden">Items by kind and state</caption>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            {states.map(head)}
            {head('all')}
          </tr>
        </thead>
        <tbody>
          {table.kinds.map(({ name, many }) => (
            <tr key={name}>
              <th scope="row">{many}</th>
              {states.map((state) => (
                <Count key={state} counts={kinds[name]} kind={name} state={state} />
              ))}
              <Count counts={kinds[name]} kind={name} state="total" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CountProps {
  readonly counts: Counts | undefined;
  readonly kind: string;
  readonly state: keyof Counts;
}

function Count({ counts, kind, state }: CountProps) {
  const count = counts?.[state] ?? 0;
  const filter = state === 'total' ? { kind } : { kind, state };
  return (
    <td class="number">
      {count === 0 ? (
        <span class="quiet">0</span>
      ) : (
        <a
          href={formatHash(filter)}
          aria-label={`${countText(count)} ${kind}, ${state}: show them`}
        >
          {countText(count)}
        </a>
      )}
    </td>
  );
}

/** More messages of a service under one code add nothing. */
const MAX_MESSAGES = 3;

interface Failure {
  readonly code: string;
  readonly count: number;
  /** The most frequent first. */
  readonly messages: readonly (readonly [message: string, count: number])[];
}

/** Items without a result by reason: how often, with which messages, and what to do. */
function Failures({ data }: { readonly data: PageData }) {
  const failures = countFailures(data.table);
  if (failures.length === 0) return null;
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Items without a result</h2>
      {failures.map(({ code, count, messages }) => (
        <article key={code} class="failure">
          <h3>
            <a
              href={formatHash({ code })}
              aria-label={`${formatCount(count, 'item')} with ${code}: show them`}
            >
              {countText(count)}
            </a>{' '}
            <code>{code}</code>
          </h3>
          <Reason data={data} code={code}>
            <Messages messages={messages} />
          </Reason>
        </article>
      ))}
    </section>
  );
}

interface ReasonProps {
  readonly data: PageData;
  readonly code: string;
  /** What the service or the program said. */
  readonly children: ComponentChildren;
}

/** What a code means, and what to do. */
export function Reason({ data, code, children }: ReasonProps) {
  const { meaning, remedy } = data.codes[code] ?? {};
  return (
    <>
      <p>{meaning}</p>
      {children}
      <p>
        <strong>What to do:</strong> {remedy}
      </p>
    </>
  );
}

function Messages({ messages }: Pick<Failure, 'messages'>) {
  const more = messages.length - MAX_MESSAGES;
  return (
    <ul>
      {messages.slice(0, MAX_MESSAGES).map(([message, times]) => (
        <li key={message}>
          <q>{message}</q> {messages.length > 1 && <span class="quiet">({countText(times)})</span>}
        </li>
      ))}
      {more > 0 && <li class="quiet">and {formatCount(more, 'other message')}</li>}
    </ul>
  );
}

/** The most frequent first. */
function countFailures({ code: codes, message }: ItemTable): readonly Failure[] {
  const failed = [...codes.keys()].filter((row) => codes[row] !== null);
  return [...Map.groupBy(failed, (row) => codes[row] ?? '')]
    .map(([code, rows]) => ({
      code,
      count: rows.length,
      messages: [...Map.groupBy(rows, (row) => message[row] ?? '')]
        .map(([words, { length }]) => [words, length] as const)
        .sort((a, b) => b[1] - a[1]),
    }))
    .sort((a, b) => b.count - a.count);
}

/** A text for the methods of a paper, to copy, and the works to cite. */
function Methods({ data }: { readonly data: PageData }) {
  const text = writeMethods(data);
  const works = data.services.flatMap(({ software }) => software?.citation ?? []);
  return (
    <section aria-labelledby="methods" class="methods">
      <h2 id="methods">Methods</h2>
      <p>{text}</p>
      {works.length > 0 && (
        <p>
          Works to cite:{' '}
          {works.map((work, place) => (
            <span key={work}>
              {place > 0 && ', '}
              <a href={work}>{work.replace('https://doi.org/', 'doi:')}</a>
            </span>
          ))}
        </p>
      )}
      <CopyLine name="Copy text" text={[text, ...works].join('\n')} />
    </section>
  );
}

type File = readonly [path: string, words: string];

export function listTableFiles({ tables }: KindFacts): readonly File[] {
  return tables.map(({ name, words }) => [`tables/${name}.csv`, words]);
}

/** The files next to the report with the same data, for other programs. */
function listFiles({ kinds }: ItemTable): readonly File[] {
  return [
    ['items.csv', 'all items'],
    ['failed.csv', 'rows to run again'],
    ...kinds.flatMap(listTableFiles),
    ['tables/', 'each table, also as Parquet'],
    ['campaign.json', 'settings, versions and counts'],
  ];
}

interface FileLinksProps {
  readonly before: string;
  readonly files: readonly File[];
}

export function FileLinks({ before, files }: FileLinksProps) {
  return (
    <p class="quiet small">
      {before}{' '}
      {files.map(([path, words], place) => (
        <span key={path}>
          {place > 0 && ', '}
          <a href={path} title={words}>
            {path}
          </a>
        </span>
      ))}
    </p>
  );
}

function writeMethods(data: PageData): string {
  const { name, table, kinds, versions, startedAt, items } = data;
  const parts = data.services.flatMap((service) => {
    const own = table.kinds.filter((kind) => kind.service === service.name);
    const counts = own.map((kind) => {
      const { succeeded = 0, total = 0 } = kinds[kind.name] ?? {};
      return `${countText(succeeded)} of ${countText(total)} ${total === 1 ? kind.one : kind.many}`;
    });
    const isOwn = (row: number): boolean => own.some((kind) => kind.name === table.kind[row]);
    const engines = new Set(table.engine.filter((engine, row) => engine !== null && isOwn(row)));
    const by = [service.software?.name ?? service.name, ...engines].join('; ');
    return own.length === 0 ? [] : [`${counts.join(', ')} by ${by} (${service.address})`];
  });
  const program = `hundredfold ${versions['hundredfold'] ?? ''}`.trim();
  return `${formatCount(items.total, 'item')} were run with ${program} (campaign ${name}, ${formatDate(startedAt)}). Results were obtained and checked for ${parts.join('; ') || 'none'}.`;
}

/** How the jobs ran: submissions against the limit. Folded, because results come first. */
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
