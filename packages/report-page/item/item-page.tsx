/** One item: its result, drawn; why it did not succeed; everything known about its job. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { itemEndWords } from '../../../src/domain/item-end-codes.ts';
import type { ItemDetail, ItemTable, PageData } from '../../../src/report/page-data.ts';
import { DataMissing, itemDetail } from '../embedded.ts';
import { columnsOf, headOf } from '../items/columns.ts';
import { itemHash, rowOfItem } from '../items/item-row.ts';
import { valueText } from '../items/rows.tsx';
import { hashOf, type Route } from '../route.ts';
import { StateMark } from '../state-mark.tsx';
import { structureText } from '../take/rows-as-text.ts';
import { copyText } from '../take/save-file.ts';
import { countText, kindWords } from '../words.ts';
import { AlignmentView } from './alignment.tsx';
import { FormulaView } from './drawing.tsx';
import { EngineMark } from './engine-mark.tsx';
import { FactsView } from './facts.tsx';
import { MoleculeView } from './molecule.tsx';
import { SequenceView } from './sequence.tsx';
import { ShiftsView } from './shifts.tsx';

interface ItemPageProps {
  readonly data: PageData;
  readonly id: string;
  /** The matching rows of the table, in order: the neighbours of the item. */
  readonly rows: readonly number[];
  readonly route: Route;
}

export function ItemPage({ data, id, rows, route }: ItemPageProps) {
  const { table } = data;
  const row = rowOfItem(table, id, route.row);
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
      <Way table={table} row={row} rows={rows} route={route} />
      <Heading id={id} />
      <p class="marks">
        <StateMark state={table.state[row] ?? ''} />
        <span>{kindWords(table, table.kind[row]).one}</span>
        <EngineMark engine={table.engine[row] ?? null} />
      </p>
      <Failure table={table} row={row} />
      <Detail data={data} row={row} />
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

interface WayProps extends Pick<ItemPageProps, 'rows' | 'route'> {
  readonly table: ItemTable;
  readonly row: number;
}

/**
 * Back to the table as it was, and to the next item in its order. An item that does not match its filter has no
 * neighbours.
 */
function Way({ table, row, rows, route }: WayProps) {
  const place = rows.indexOf(row);
  const [previous, next] = place < 0 ? [] : [rows[place - 1], rows[place + 1]];
  return (
    <nav aria-label="Items" class="way">
      <a href={hashOf({ ...route, item: null, row: null })}>All items</a>
      {previous !== undefined && <a href={itemHash(table, previous, route)}>Previous</a>}
      {next !== undefined && <a href={itemHash(table, next, route)}>Next</a>}
      {place >= 0 && (
        <span class="quiet">
          {countText(place + 1)} of {countText(rows.length)}
        </span>
      )}
    </nav>
  );
}

function Failure({ table, row }: { readonly table: ItemTable; readonly row: number }) {
  const code = table.code[row] ?? null;
  if (code === null) return null;
  const { meaning, remedy } = itemEndWords(code);
  return (
    <section class="notice strong" aria-label="Why it did not succeed">
      <p>
        <code>{code}</code> {meaning}
      </p>
      {table.message[row] && (
        <p>
          <q>{table.message[row]}</q>
        </p>
      )}
      <p>
        <strong>What to do:</strong> {remedy}
      </p>
    </section>
  );
}

type Loading = { readonly detail: ItemDetail } | { readonly problem: string } | null;

function Detail({ data, row }: { readonly data: PageData; readonly row: number }) {
  const [loading, setLoading] = useState<Loading>(null);
  useEffect(() => {
    let left = false;
    itemDetail(data.chunks, row).then(
      (detail) => left || setLoading({ detail }),
      (error: unknown) => left || setLoading({ problem: problemOf(error) }),
    );
    return () => {
      left = true;
    };
  }, [data.chunks, row]);
  if (loading === null) return <p role="status">Reading …</p>;
  if ('problem' in loading) return <p class="notice strong">{loading.problem}</p>;
  const { detail } = loading;
  return (
    <>
      <CopyButton table={data.table} row={row} detail={detail} />
      <Result detail={detail} table={data.table} row={row} />
      {detail.unreadable !== null && (
        <p class="notice">The result cannot be shown: {detail.unreadable}</p>
      )}
      {detail.facts?.warnings.map((sentence) => (
        <p key={sentence} class="notice">
          {sentence}
        </p>
      ))}
      <FactsView data={data} row={row} facts={detail.facts} />
    </>
  );
}

interface CopyButtonProps {
  readonly table: ItemTable;
  readonly row: number;
  readonly detail: ItemDetail;
}

/** Copies the molecule or sequence for another program. */
function CopyButton({ table, row, detail }: CopyButtonProps) {
  const [said, say] = useState('');
  const text = structureText(table, [{ row, detail }]);
  if (text === '') return null;
  return (
    <p class="take">
      <button
        type="button"
        onClick={() =>
          void copyText(text).then((isCopied) =>
            say(isCopied ? 'Copied.' : 'The browser does not let this page copy.'),
          )
        }
      >
        {detail.formula === null ? 'Copy as FASTA' : 'Copy SMILES'}
      </button>
      <span role="status" class="quiet">
        {said}
      </span>
    </p>
  );
}

function problemOf(error: unknown): string {
  if (!(error instanceof DataMissing)) throw error;
  return (
    `${error.message} is missing. The details of this item are in the folder report-data next to ` +
    'report.html: put it back, or write both again with hundredfold report.'
  );
}

interface ResultProps {
  readonly detail: ItemDetail;
  readonly table: ItemTable;
  readonly row: number;
}

function Result({ detail: { result, formula }, table, row }: ResultProps) {
  // The formula is shown even if there is no result.
  if (result === null) {
    return formula === null ? (
      <Measures table={table} row={row} />
    ) : (
      <FormulaView formula={formula} />
    );
  }
  switch (result.shape) {
    case 'structure':
      return <MoleculeView molecule={result} drawn={formula} />;
    case 'proteins':
      return <SequenceView sequence={result} />;
    case 'aligned':
      return <AlignmentView alignment={result} />;
    case 'chains':
      return <ShiftsView shifts={result} />;
  }
}

/** The result of a kind that has no drawing of its own. */
function Measures({ table, row }: Omit<ResultProps, 'detail'>) {
  const kind = table.kinds.find(({ name }) => name === table.kind[row]);
  const measured = columnsOf(table).flatMap((column) => {
    const value = column.group === kind?.name ? column.valueAt(row) : null;
    return value === null ? [] : [{ column, value }];
  });
  if (kind === undefined || measured.length === 0) return null;
  return (
    <section aria-labelledby="measures">
      <h2 id="measures">Measures</h2>
      <dl class="facts">
        {measured.map(({ column, value }) => (
          <div key={column.key} title={column.meaning}>
            <dt>{headOf(column)}</dt>
            <dd>{typeof value === 'number' ? valueText(column, value) : value}</dd>
          </div>
        ))}
      </dl>
      <p>
        More in{' '}
        {kind.tables.map(({ name, words }, place) => (
          <span key={name}>
            {place > 0 && ', '}
            <a href={`tables/${name}.csv`} title={words}>
              tables/{name}.csv
            </a>
          </span>
        ))}
        .
      </p>
    </section>
  );
}
