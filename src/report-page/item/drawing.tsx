/** The structural formula, from lines and letters; colours follow the theme. */
import type { Drawing } from '../../domain/drawing.ts';
import type { DrawnFormula } from '../data.ts';

/** RDKit's colours of the elements → those of the page, which are legible on both grounds. */
const COLOURS: Readonly<Record<string, string>> = {
  '#0000FF': 'var(--element-n)',
  '#FF0000': 'var(--element-o)',
  '#CCCC00': 'var(--element-s)',
  '#33CCCC': 'var(--element-f)',
  '#00CC00': 'var(--element-cl)',
  '#7F4C19': 'var(--element-br)',
  '#A01EEF': 'var(--element-i)',
  '#FF7F00': 'var(--element-p)',
};

function colourOf(colour: string): string {
  return COLOURS[colour.toUpperCase()] ?? 'currentColor';
}

export function FormulaView({ formula: { drawing, words } }: { readonly formula: DrawnFormula }) {
  return (
    <figure>
      {drawing !== null && <DrawingView drawing={drawing} />}
      <figcaption>{words}</figcaption>
    </figure>
  );
}

function DrawingView({ drawing }: { readonly drawing: Drawing }) {
  const { width, height, paths, letters } = drawing;
  return (
    <svg
      class="drawing"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label="Structural formula"
    >
      {paths.map(({ d, colour, line }, place) =>
        line === null ? (
          <path key={place} d={d} fill={colourOf(colour)} />
        ) : (
          <path key={place} d={d} fill="none" stroke={colourOf(colour)} stroke-width={line} />
        ),
      )}
      {letters.map(({ x, y, size, colour, text }, place) => (
        <text key={place} x={x} y={y} font-size={size} fill={colourOf(colour)}>
          {text}
        </text>
      ))}
    </svg>
  );
}
