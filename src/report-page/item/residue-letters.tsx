/** The letters of a chain, if there is space for them. */
import { edgeOf, LEAST_FOR_LETTERS, stepOf, type View } from './view.ts';

interface ResidueLettersProps {
  readonly residues: string;
  readonly view: View;
}

export function ResidueLetters({ residues, view }: ResidueLettersProps) {
  if (residues === '' || stepOf(view) < LEAST_FOR_LETTERS) return null;
  const places = [...residues.slice(view.from, view.to)].map((_, place) =>
    edgeOf(view, view.from + place + 0.5).toFixed(1),
  );
  return (
    <svg class="letters" width={view.width} height={16} aria-hidden="true">
      <text x={places.join(' ')} y={12}>
        {residues.slice(view.from, view.to)}
      </text>
    </svg>
  );
}
