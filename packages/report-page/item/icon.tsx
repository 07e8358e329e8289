/** Signs on buttons. Drawn, because many fonts have tiny arrows. */

const LINES = {
  left: 'M14 8H2M7 3L2 8l5 5',
  right: 'M2 8h12M9 3l5 5-5 5',
  up: 'M8 14V2M3 7l5-5 5 5',
  down: 'M8 2v12M3 9l5 5 5-5',
  plus: 'M8 2v12M2 8h12',
  minus: 'M2 8h12',
} as const;

export function Icon({ name }: { readonly name: keyof typeof LINES }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  );
}
