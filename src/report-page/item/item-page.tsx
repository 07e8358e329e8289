/** One item: what came of it, drawn; why it did not succeed; all that is known about its job. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { itemEndWords } from '../../domain/item-end-codes.ts';
import type { ItemDetail, ItemTable, PageData } from '../data.ts';
import { DataMissing, itemDetail } from '../embedded.ts';
import { itemHash, rowOfItem } from '../items/item-row.ts';
import { StateMark } from '../state-mark.tsx';
import { KIND_WORDS } from '../words.ts';
import { AlignmentView } from './alignment.tsx';
import { FormulaView } from './drawing.tsx';
import { EngineMark } from './engine-mark.tsx';
import { FactsView } from './facts.tsx';
import { MoleculeView } from './molecule.tsx';
import { SequenceView } from './sequence.tsx';
import { ShiftsView } from './shifts.tsx';

export interface ItemPageProps {
  readonly data: PageData;
  readonly id: string;
  readonly row: number | null;
}

export function ItemPage({ data, id, row: asked }: ItemPageProps) {
  const { table } = data;
  const row = rowOfItem(table, id, asked);
  if (row === null) {
    return (
      <section>
        <Heading id={id} />
        <p>
          This report has no item of this name. <a href="#">All items</a>
        </p>
      </section>
    );
  }
  return (
    <article class="item">
      <Way table={table} row={row} />
      <Heading id={id} />
      <p class="marks">
        <StateMark state={table.state[row] ?? ''} />
        <span>{KIND_WORDS[table.kind[row] ?? 'molecule'].one}</span>
        <EngineMark engine={table.engine[row] ?? null} />
      </p>
      <Failure table={table} row={row} />
      <Detail data={data} row={row} />
    </article>
  );
}

/** The page begins anew: who reads it by ear is told where. */
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

function Way({ table, row }: { readonly table: ItemTable; readonly row: number }) {
  return (
    <nav aria-label="Items" class="way">
      <a href="#" onClick={backToTable}>
        All items
      </a>
      {row > 0 && <a href={itemHash(table, row - 1)}>Previous</a>}
      {row + 1 < table.id.length && <a href={itemHash(table, row + 1)}>Next</a>}
    </nav>
  );
}

/** With the search and the order it had, where the reader came from it. */
let cameFrom = '#';
addEventListener('hashchange', ({ oldURL }) => {
  const { hash } = new URL(oldURL);
  if (!new URLSearchParams(hash.slice(1)).has('item')) cameFrom = hash === '' ? '#' : hash;
});

function backToTable(event: Event): void {
  event.preventDefault();
  location.hash = cameFrom;
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
      <Result detail={detail} />
      {detail.unreadable !== null && (
        <p class="notice">The result is not drawn: {detail.unreadable}</p>
      )}
      <FactsView data={data} row={row} facts={detail.facts} />
    </>
  );
}

function problemOf(error: unknown): string {
  if (!(error instanceof DataMissing)) throw error;
  return (
    `${error.message} is not there. The details of this item lie in the folder report-data beside ` +
    'report.html: put it back, or write both anew with hundredfold report.'
  );
}

function Result({ detail: { result, formula } }: { readonly detail: ItemDetail }) {
  // What was to be computed, also where nothing came of it.
  if (result === null) return formula === null ? null : <FormulaView formula={formula} />;
  switch (result.kind) {
    case 'molecule':
      return <MoleculeView molecule={result} drawn={formula} />;
    case 'sequence':
      return <SequenceView sequence={result} />;
    case 'alignment':
      return <AlignmentView alignment={result} />;
    case 'shifts':
      return <ShiftsView shifts={result} />;
  }
}
