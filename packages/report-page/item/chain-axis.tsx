/** The numbers of the visible positions, and which part of the whole chain they are. */
import {
  edgeOf,
  moved,
  RIGHT,
  stepOf,
  type Stretch,
  type View,
  LEAST_FOR_LETTERS,
} from './view.ts';

interface ChainAxisProps {
  readonly view: View;
  readonly length: number;
  /** Position of the cursor. */
  readonly place: number;
  readonly numberText: (place: number) => string;
  readonly setStretch: (stretch: Stretch) => void;
}

/** Minimum distance between two numbers, in CSS pixels. */
const APART = 52;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The visible positions with round numbers, also if a chain does not begin with 1. */
export function roundPlaces(view: View, numberText: ChainAxisProps['numberText']): number[] {
  const { from, to } = view;
  const step = stepOf(view);
  const every = STEPS.find((one) => one * step >= APART) ?? 2000;
  return Array.from({ length: to - from }, (_, place) => from + place).filter(
    (at) => Number(numberText(at)) % every === 0,
  );
}

export function ChainAxis({ view, length, place, numberText, setStretch }: ChainAxisProps) {
  const { width, left, from, to } = view;
  const marks = roundPlaces(view, numberText);
  const isWhole = to - from === length;
  const room = width - left - RIGHT;
  const jump = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const at = ((event.clientX - box.left - left) / room) * length;
    setStretch(moved({ from, to }, length, at - (from + to) / 2));
  };
  return (
    <svg class="axis" width={width} height={isWhole ? 20 : 30} aria-hidden="true">
      <line x1={left} x2={width - RIGHT} y1={18.5} y2={18.5} />
      {marks.map((at) => (
        <g key={at} transform={`translate(${edgeOf(view, at + 0.5)} 0)`}>
          <line y1={14} y2={18} />
          <text y={11}>{numberText(at)}</text>
        </g>
      ))}
      {place >= from && place < to && (
        <path d={`M${edgeOf(view, place + 0.5)} 19l-4 -6h8z`} class="pointer" />
      )}
      {!isWhole && (
        <g
          class="whole"
          onPointerDown={jump}
          onPointerMove={(event) => event.buttons === 1 && jump(event)}
        >
          <rect class="all" x={left} y={22} width={room} height={8} rx={3} />
          <rect
            class="seen"
            x={left + (from / length) * room}
            y={22}
            width={Math.max(4, ((to - from) / length) * room)}
            height={8}
            rx={3}
          />
        </g>
      )}
    </svg>
  );
}

/** The letters of a chain, if there is space for them. */
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
