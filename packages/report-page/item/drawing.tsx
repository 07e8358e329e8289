/** The structural formula, from lines and letters; colours follow the theme. */
import type { Drawing } from '../../../src/domain/drawing.ts';
import type { DrawnFormula } from '../../../src/report/page-data.ts';
import { SavedPicture } from '../take/saved-picture.tsx';

/** RDKit's colours of the elements → those of the page, which are legible on light and dark backgrounds. */
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
      {drawing !== null && (
        <SavedPicture name="Structural formula">
          <DrawingView drawing={drawing} />
        </SavedPicture>
      )}
      <figcaption>{words}</figcaption>
    </figure>
  );
}

export function DrawingView({
  drawing,
  label = 'Structural formula',
  isCropped = false,
}: {
  readonly drawing: Drawing;
  readonly label?: string;
  /** Without the empty margin, for small spaces. */
  readonly isCropped?: boolean;
}) {
  const { width, height, paths, letters } = drawing;
  return (
    <svg
      class="drawing"
      viewBox={isCropped ? croppedBox(drawing) : `0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
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

/** Small molecules are not enlarged beyond this, in units of the drawing. */
const SMALLEST = 150;
const AIR = 12;

function croppedBox({ paths, letters }: Drawing): string {
  const points = paths.flatMap(({ d }) => {
    const numbers = d.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];
    return numbers.flatMap((x, place) =>
      place % 2 === 0 ? [[x, numbers[place + 1] ?? 0] as const] : [],
    );
  });
  const all = [...points, ...letters.map(({ x, y }) => [x, y] as const)];
  const side = (axis: 0 | 1): readonly [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const point of all) {
      low = Math.min(low, point[axis]);
      high = Math.max(high, point[axis]);
    }
    const length = Math.max(SMALLEST, high - low + 2 * AIR);
    return [(low + high - length) / 2, length];
  };
  if (all.length === 0) return '0 0 1 1';
  const [[left, wide], [top, tall]] = [side(0), side(1)];
  return [left, top, wide, tall].map((value) => value.toFixed(1)).join(' ');
}
