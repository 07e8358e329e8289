/** The structural formula of a molecule, from lines and letters; colours follow the theme. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Drawing, PageData } from '../../src/report/page-data.ts';
import { useDetails } from './embedded.ts';

/** RDKit's colours of the elements → those of the page, which are legible on light and dark backgrounds. */
const COLOURS: Readonly<Record<string, string>> = {
  '#0000FF': 'light-dark(#2038c8, #8ea2ff)',
  '#FF0000': 'light-dark(#c8102e, #ff7b7b)',
  '#CCCC00': 'light-dark(#857000, #e0c940)',
  '#33CCCC': 'light-dark(#3f7d1f, #9adb78)',
  '#00CC00': 'light-dark(#0b7a0b, #6fdc6f)',
  '#7F4C19': 'light-dark(#8c3a1e, #e39a7c)',
  '#A01EEF': 'light-dark(#7a1fa2, #d59bf0)',
  '#FF7F00': 'light-dark(#b35900, #ffad5c)',
};

function toColour(colour: string): string {
  return COLOURS[colour.toUpperCase()] ?? 'currentColor';
}

interface DrawingProps {
  readonly drawing: Drawing;
  readonly label: string;
}

/** The least width and height, in units of the drawing: small molecules are not enlarged. */
const MIN_SIDE = 150;

export function DrawingView({ drawing, label }: DrawingProps) {
  const { width, height } = drawing;
  const [wide, high] = [Math.max(MIN_SIDE, width), Math.max(MIN_SIDE, height)];
  const viewBox = [(width - wide) / 2, (height - high) / 2, wide, high].join(' ');
  return (
    <svg class="drawing" viewBox={viewBox} role="img" aria-label={label}>
      {drawing.paths.map(({ d, colour, line }, place) =>
        line === null ? (
          <path key={place} d={d} style={{ fill: toColour(colour) }} />
        ) : (
          <path
            key={place}
            d={d}
            fill="none"
            style={{ stroke: toColour(colour) }}
            stroke-width={line}
          />
        ),
      )}
      {drawing.letters.map(({ x, y, size, colour, text }, place) => (
        <text key={place} x={x} y={y} font-size={size} style={{ fill: toColour(colour) }}>
          {text}
        </text>
      ))}
    </svg>
  );
}

interface ThumbnailProps {
  readonly data: PageData;
  readonly row: number;
}

/** Read and drawn when it comes near the visible part of the page. */
export function Thumbnail({ data, row }: ThumbnailProps) {
  const frame = useRef<HTMLSpanElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: '400px' },
    );
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return (
    <span class="thumbnail" ref={frame}>
      {isNear && <Formula data={data} row={row} />}
    </span>
  );
}

function Formula({ data, row }: ThumbnailProps) {
  const details = useDetails(data.chunks, [row]);
  const drawing = typeof details === 'string' ? null : details?.[0]?.formula?.drawing;
  if (drawing == null) return null;
  return (
    <DrawingView drawing={drawing} label={`Structural formula of ${data.table.id[row] ?? ''}`} />
  );
}
