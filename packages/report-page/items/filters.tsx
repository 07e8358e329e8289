/** The search field, and the filters by kind, state and error. */
import { useMemo } from 'preact/hooks';
import { FINAL_STATES } from '../../../src/domain/states.ts';
import type { ItemTable } from '../../../src/report/page-data.ts';
import type { Route } from '../route.ts';
import { kindWords } from '../words.ts';
import { groupOf } from './table-model.ts';

interface FiltersProps {
  readonly table: ItemTable;
  readonly route: Route;
  readonly change: (changed: Partial<Route>) => void;
}

export function Filters({ table, route, change }: FiltersProps) {
  const { states, kinds, codes } = useMemo(() => choicesOf(table), [table]);
  const { query, kind, state, code, where } = route;
  const isFiltered = [query, kind, state, code, where].some((value) => value !== '');
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        Search
        <input
          type="search"
          value={query}
          placeholder="id, result, error, your own columns"
          onInput={({ currentTarget }) => change({ query: currentTarget.value })}
        />
      </label>
      <Choice name="Kind" value={kind} onChange={(value) => change({ kind: value })}>
        {kinds.map((one) => [one, kindWords(table, one).many])}
      </Choice>
      <Choice name="State" value={state} onChange={(value) => change({ state: value })}>
        {states.map((one) => [one, one])}
      </Choice>
      {codes.length > 0 && (
        <Choice name="Error" value={code} onChange={(value) => change({ code: value })}>
          {codes.map((one) => [one, one])}
        </Choice>
      )}
      {isFiltered && (
        <button
          type="button"
          onClick={() => change({ query: '', kind: '', state: '', code: '', where: '' })}
        >
          Clear filters
        </button>
      )}
    </form>
  );
}

/** The values in the table, as choices. */
function choicesOf(table: ItemTable) {
  const groups = new Set(table.state.map(groupOf));
  return {
    states: [...FINAL_STATES, 'open'].filter((state) => groups.has(state)),
    kinds: table.kinds.map(({ name }) => name).filter((kind) => table.kind.includes(kind)),
    codes: [...new Set(table.code.filter((code) => code !== null))].sort(),
  };
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly (readonly [value: string, words: string])[];
}

function Choice({ name, value, onChange, children }: ChoiceProps) {
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">all</option>
        {children.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
