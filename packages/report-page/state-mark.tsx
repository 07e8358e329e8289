/** A state as a symbol with its name: never by colour alone. */
import { groupOf } from './items/table-model.ts';

const SIGNS: Readonly<Record<string, string>> = {
  succeeded: '✓',
  failed: '✕',
  held: '?',
  cancelled: '–',
  invalid: '!',
  open: '…',
};

export function StateMark({ state }: { readonly state: string }) {
  const group = groupOf(state);
  return (
    <span class={`state state-${group}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[group]}
      </span>
      {state}
    </span>
  );
}
