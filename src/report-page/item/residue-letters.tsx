/** The letters of a chain, where there is room for them. */
import { LEFT, RIGHT } from './track-chart.tsx';

/** Below that letters would run into each other, in CSS pixels. */
const LEAST = 7;

export function ResidueLetters({
  residues,
  width,
}: {
  readonly residues: string;
  readonly width: number;
}) {
  const letters = [...residues];
  const step = (width - LEFT - RIGHT) / letters.length;
  if (step < LEAST) return null;
  return (
    <svg class="letters" width={width} height={16} aria-hidden="true">
      {letters.map((letter, place) => (
        <text key={place} x={LEFT + (place + 0.5) * step} y={12}>
          {letter}
        </text>
      ))}
    </svg>
  );
}
