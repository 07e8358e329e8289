/**
 * Plots above each other along one chain, with one cursor through all of them: the pointer moves it, and so does a
 * slider, which the keyboard reaches. What lies under it is told in words.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LEFT, RIGHT } from './track-chart.tsx';

export interface TrackStackProps {
  readonly length: number;
  /** What one place is called: `Residue`, `Column`. */
  readonly unit: string;
  /** What is said of a place, from 0. */
  readonly readout: (place: number) => ComponentChildren;
  /** Of the place, for those who hear it: `45 Lys`. */
  readonly placeText: (place: number) => string;
  readonly children: (width: number) => ComponentChildren;
}

/** Enough for a letter. */
const WIDE = 13;

export function TrackStack({ length, unit, readout, placeText, children }: TrackStackProps) {
  const [place, setPlace] = useState(0);
  const [wide, setWide] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const room = useWidth(frame);
  const width = wide ? Math.max(room, LEFT + RIGHT + length * WIDE) : room;
  const step = (width - LEFT - RIGHT) / length;
  const point = ({ clientX, currentTarget }: PointerEvent): void => {
    const left = (currentTarget as HTMLElement).getBoundingClientRect().left;
    const at = Math.floor((clientX - left - LEFT) / step);
    if (at >= 0 && at < length) setPlace(at);
  };
  return (
    <div class="stack">
      <div class="readout">
        <label>
          {unit}
          <input
            type="range"
            min={0}
            max={length - 1}
            value={place}
            aria-valuetext={placeText(place)}
            onInput={({ currentTarget }) => setPlace(Number(currentTarget.value))}
          />
        </label>
        <output>{readout(place)}</output>
        <label class="check">
          <input
            type="checkbox"
            checked={wide}
            onChange={({ currentTarget }) => setWide(currentTarget.checked)}
          />
          every {unit.toLowerCase()} wide
        </label>
      </div>
      <div class="scroll tracks" ref={frame} tabIndex={0} role="region" aria-label={`${unit}s`}>
        {width > 0 && (
          <div
            class="chain"
            style={{ width: `${width}px` }}
            onPointerMove={point}
            onPointerDown={point}
          >
            <div class="cursor" style={{ left: `${LEFT + (place + 0.5) * step}px` }} />
            {children(width)}
          </div>
        )}
      </div>
    </div>
  );
}

function useWidth(frame: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = (): void => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
