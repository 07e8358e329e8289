/** One item: its result, drawn; why it did not succeed; its measures; everything known about its job. */
import { useEffect, useRef } from 'preact/hooks';
import type { ItemDetail, PageData } from '../../src/report/page-data.ts';
import { formatHead, findVerdict, formatValue } from './columns.ts';
import { useDetails } from './embedded.ts';
import { type Entry, FactsView, Terms } from './facts.tsx';
import { FormulaView, MoleculeView } from './molecule.tsx';
import { toEngineKind, FileLinks, Reason, listTableFiles } from './overview.tsx';
import { AlignmentView, SequenceView, ShiftsView } from './proteins.tsx';
import { findRow, formatHash, formatItemHash } from './route.ts';
import { type ShownRows, StateMark, VerdictMark } from './rows.tsx';
import { CopyLine, formatStructure } from './take.tsx';
import { countText, findKindWords } from './words.ts';

interface ItemPageProps extends ShownRows {
  readonly id: string;
}

interface RowProps extends ShownRows {
  readonly row: number;
}

export function ItemPage(props: ItemPageProps) {
  const { data, id, route } = props;
  const { table } = data;
  const row = findRow(table, id, route.row);
  if (row === null) {
    return (
      <section>
        <Heading id={id} />
        <p>
          This report has no item with this id. <a href="#">All items</a>
        </p>
      </section>
    );
  }
  return (
    <article class="item">
      <Way {...props} row={row} />
      <Heading id={id} />
      <p class="line">
        <StateMark state={table.state[row] ?? ''} />
        <span>{findKindWords(table, table.kind[row]).one}</span>
        <EngineMark engine={table.engine[row] ?? null} />
      </p>
      <Failure data={data} row={row} />
      <Detail {...props} row={row} />
    </article>
  );
}

/** Focused for a new item, so that screen readers announce it. */
function Heading({ id }: { readonly id: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [id]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {id}
    </h1>
  );
}

/**
 * Back to the table as it was, and to the next item in its order. An item that does not match its filter has no
 * neighbours.
 */
function Way({ data: { table }, row, rows, route }: RowProps) {
  const place = rows.indexOf(row);
  const [previous, next] = place < 0 ? [] : [rows[place - 1], rows[place + 1]];
  return (
    <nav aria-label="Items" class="line way">
      <a href={formatHash({ ...route, item: null, row: null })}>All items</a>
      {previous !== undefined && <a href={formatItemHash(table, previous, route)}>Previous</a>}
      {next !== undefined && <a href={formatItemHash(table, next, route)}>Next</a>}
      {place >= 0 && (
        <span class="quiet">
          {countText(place + 1)} of {countText(rows.length)}
        </span>
      )}
    </nav>
  );
}

const ENGINES: Readonly<Record<string, string>> = {
  synthetic: 'synthetic: made up for tests, not a result',
  recorded: 'recorded: an earlier output of the real engine',
  real: 'computed by the engine',
};

/** The engine of a result: synthetic results must be recognisable. */
function EngineMark({ engine }: { readonly engine: string | null }) {
  if (engine === null) return null;
  const kind = toEngineKind(engine);
  const version = engine.slice(kind.length).replace(/^, */, '');
  return (
    <span class={`engine-${kind in ENGINES ? kind : 'other'}`}>
      {[ENGINES[kind] ?? kind, version].filter(Boolean).join(', ')}
    </span>
  );
}

function Failure({ data, row }: Pick<RowProps, 'data' | 'row'>) {
  const { code: codes, message } = data.table;
  const code = codes[row] ?? null;
  if (code === null) return null;
  return (
    <section class="notice strong" aria-label="Why it did not succeed">
      <code>{code}</code>
      <Reason data={data} code={code}>
        {message[row] && (
          <p>
            <q>{message[row]}</q>
          </p>
        )}
      </Reason>
    </section>
  );
}

function Detail(props: RowProps) {
  const { data, columns, row } = props;
  const details = useDetails(data.chunks, [row]);
  if (details === null) return <p role="status">Reading …</p>;
  if (typeof details === 'string') return <p class="notice strong">{details}</p>;
  const [detail] = details;
  if (detail === undefined) return null;
  return (
    <>
      <CopyButton data={data} row={row} detail={detail} />
      {detail.facts?.warnings.map((sentence) => (
        <p key={sentence} class="notice">
          {sentence}
        </p>
      ))}
      <Result data={data} detail={detail} />
      {detail.unreadable !== null && (
        <p class="notice">The result cannot be shown: {detail.unreadable}</p>
      )}
      <Measures data={data} columns={columns} row={row} />
      <FactsView data={data} row={row} facts={detail.facts} />
    </>
  );
}

interface DetailProps {
  readonly data: PageData;
  readonly detail: ItemDetail;
}

/** Copies the molecule or sequence for another program. */
function CopyButton({ data, row, detail }: DetailProps & { readonly row: number }) {
  const text = formatStructure(data.table.id[row] ?? '', detail);
  if (text === '') return null;
  return (
    <CopyLine name={detail.formula === null ? 'Copy as FASTA' : 'Copy SMILES'} text={text}>
      {detail.formula !== null && data.table.structures > 1 && (
        <a href={formatHash({ like: data.table.id[row] ?? '', sort: '-similarity' })}>
          Find similar
        </a>
      )}
    </CopyLine>
  );
}

function Result({ data, detail: { result, formula } }: DetailProps) {
  // The formula is shown even if there is no result.
  if (result === null)
    return (
      formula && (
        <div class="pair">
          <FormulaView formula={formula} />
        </div>
      )
    );
  switch (result.shape) {
    case 'structure':
      return <MoleculeView data={data} molecule={result} drawn={formula} />;
    case 'proteins':
      return <SequenceView facts={data.tracks} result={result} />;
    case 'aligned':
      return <AlignmentView facts={data.tracks} result={result} />;
    case 'chains':
      return <ShiftsView facts={data.tracks} result={result} />;
  }
}

/** For a kind without a drawing they are the whole result. */
function Measures({ data: { table }, columns, row }: Pick<RowProps, 'data' | 'columns' | 'row'>) {
  const kind = table.kinds.find(({ name }) => name === table.kind[row]);
  const measured = columns.flatMap((column): Entry[] => {
    const value = column.group === kind?.name ? column.valueAt(row) : null;
    if (value === null) return [];
    const verdict = findVerdict(column.verdicts, value);
    const words = [
      formatValue(column, value),
      ' ',
      <VerdictMark key="verdict" verdict={verdict} />,
    ];
    return [[formatHead(column), words, column.meaning]];
  });
  if (kind === undefined || measured.length === 0) return null;
  return (
    <section aria-labelledby="measures">
      <h2 id="measures">Measures</h2>
      <Terms entries={measured} />
      <FileLinks before="More in" files={listTableFiles(kind)} />
    </section>
  );
}
