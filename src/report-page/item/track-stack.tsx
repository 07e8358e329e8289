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
  /** Of the place and the value of one track there: `45 Lys: 0.812 rigid`. */
  readonly tip: (place: number, track: string) => string;
  /** Of the place, for those who hear it: `45 Lys`. */
  readonly placeText: (place: number) => string;
  readonly children: (width: number) => ComponentChildren;
}

/** Enough for a letter. */
const WIDE = 13;

export function TrackStack(props: TrackStackProps) {
  const { length, unit, children } = props;
  const [place, setPlace] = useState(0);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [wide, setWide] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const room = useWidth(frame);
  const width = wide ? Math.max(room, LEFT + RIGHT + length * WIDE) : room;
  const step = (width - LEFT - RIGHT) / length;
  const point = (event: PointerEvent): void => {
    const chain = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const at = Math.floor((event.clientX - chain.left - LEFT) / step);
    const track = (event.target as Element).closest<HTMLElement>('[data-track]');
    if (at < 0 || at >= length) return;
    setPlace(at);
    setPointed({ track: track?.dataset['track'] ?? null, top: event.clientY - chain.top });
  };
  return (
    <div class="stack">
      <Controls {...{ ...props, place, setPlace, wide, setWide }} />
      <div class="scroll tracks" ref={frame} tabIndex={0} role="region" aria-label={`${unit}s`}>
        {width > 0 && (
          <div
            class="chain"
            style={{ width: `${width}px` }}
            onPointerMove={point}
            onPointerDown={point}
            onPointerLeave={() => setPointed(null)}
          >
            <div class="cursor" style={{ left: `${LEFT + (place + 0.5) * step}px` }} />
            {children(width)}
            {pointed?.track != null && (
              <Tip
                text={props.tip(place, pointed.track)}
                left={LEFT + (place + 0.5) * step}
                top={pointed.top}
                width={width}
              />
            )}
          </div>
        )}
      </div>
    </div>
  );
}

interface Pointed {
  readonly track: string | null;
  readonly top: number;
}

interface ControlsProps extends Pick<TrackStackProps, 'length' | 'unit' | 'readout' | 'placeText'> {
  readonly place: number;
  readonly setPlace: (place: number) => void;
  readonly wide: boolean;
  readonly setWide: (wide: boolean) => void;
}

function Controls({
  length,
  unit,
  readout,
  placeText,
  place,
  setPlace,
  wide,
  setWide,
}: ControlsProps) {
  return (
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
        room for letters
      </label>
    </div>
  );
}

interface TipProps {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** Says again what the line above the plots says: nothing for those who hear the page. */
function Tip({ text, left, top, width }: TipProps) {
  const side = left > width / 2 ? { right: `${width - left + 12}px` } : { left: `${left + 12}px` };
  return (
    <div class="tip" aria-hidden="true" style={{ top: `${top}px`, ...side }}>
      {text}
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
