/** Items by kind and state; every number links to its rows. */
import { FINAL_STATES } from '../../../src/domain/states.ts';
import type { Counts } from '../../../src/domain/campaign-facts.ts';
import type { PageData } from '../../../src/report/page-data.ts';
import { hashOf } from '../route.ts';
import { StateMark } from '../state-mark.tsx';
import { counted, countText, kindWords } from '../words.ts';
import { StateBar } from './state-bar.tsx';

const STATES = [...FINAL_STATES, 'open'] as const;
type State = (typeof STATES)[number];

export function CountTable({ data }: { readonly data: PageData }) {
  const { items } = data;
  const states = STATES.filter((state) => state === 'succeeded' || items[state] > 0);
  const isDivided = STATES.filter((state) => items[state] > 0).length > 1;
  const { table } = data;
  const kinds = table.kinds
    .map(({ name }) => name)
    .filter((kind) => data.kinds[kind] !== undefined);
  return (
    <div class="counts">
      <p class="headline">
        <strong>{countText(items.succeeded)}</strong> of {counted(items.total, 'item')} succeeded
      </p>
      {isDivided && <StateBar counts={items} states={states} />}
      <table>
        <caption class="hidden">Items by kind and state</caption>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            {states.map((state) => (
              <th key={state} scope="col" class="number">
                <StateMark state={state} />
              </th>
            ))}
            <th scope="col" class="number">
              all
            </th>
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind}>
              <th scope="row">{kindWords(table, kind).many}</th>
              {states.map((state) => (
                <Cell key={state} counts={data.kinds[kind]} kind={kind} state={state} />
              ))}
              <Cell counts={data.kinds[kind]} kind={kind} state="total" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly counts: Counts | undefined;
  readonly kind: string;
  readonly state: State | 'total';
}

function Cell({ counts, kind, state }: CellProps) {
  const count = counts?.[state] ?? 0;
  const filter = state === 'total' ? { kind } : { kind, state };
  return (
    <td class="number">
      {count === 0 ? (
        <span class="quiet">0</span>
      ) : (
        <a href={hashOf(filter)} aria-label={`${countText(count)} ${kind}, ${state}: show them`}>
          {countText(count)}
        </a>
      )}
    </td>
  );
}
