/**
 * Stacked plots along one chain, with a common cursor: the pointer moves it, and so does a slider for the keyboard. The
 * values at the cursor are shown as text, and the axis stays visible. A part of the chain can be zoomed in.
 *
 * Rejected: Nightingale's components. Interpretations, quartiles, gaps, the cursor as text, keyboard, print and the
 * page's colours would need more code around them than this.
 */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useWidth } from '../use-width.ts';
import { ChainAxis } from './chain-axis.tsx';
import { Icon } from './icon.tsx';
import { edgeOf, LEFT, moved, stepOf, zoomed, type Stretch, type View } from './view.ts';

interface TrackStackProps {
  readonly length: number;
  /** The name of a position: `Residue`, `Column`. */
  readonly unit: string;
  /** What is shown for a position, from 0. */
  readonly readout: (place: number) => ComponentChildren;
  /** For the position and the value of one track there: `45 Lys: 0.812 rigid`. */
  readonly tip: (place: number, track: string) => string;
  /** For the position, for screen readers: `45 Lys`. */
  readonly placeText: (place: number) => string;
  /** On the axis; the default counts from 1. */
  readonly numberText?: (place: number) => string;
  /** Space for axes and names, in CSS pixels. */
  readonly left?: number;
  readonly children: (view: View) => ComponentChildren;
}

/** Names never get more than this fraction of the width. */
const MOST_LEFT = 0.28;

export function TrackStack(props: TrackStackProps) {
  const { length, children, left: wanted = LEFT, numberText = numberFromOne } = props;
  const [place, setPlace] = useState(0);
  const [stretch, setStretch] = useState<Stretch>({ from: 0, to: length });
  const chosen = { place, setPlace, stretch, setStretch };
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const left = Math.max(LEFT, Math.min(wanted, Math.floor(width * MOST_LEFT)));
  const view: View = { width, left, ...stretch };
  const { pointed, placeAt, handlers } = usePointing(frame, view, setPlace);
  const turn = (event: WheelEvent): void => {
    const turned = turnedStretch(event, stretch, length, placeAt(event) ?? place);
    if (turned === null) return;
    event.preventDefault();
    setStretch(turned);
  };
  return (
    <div class="stack">
      <div class="held">
        <Controls {...props} {...chosen} />
        {width > 0 && (
          <ChainAxis
            view={view}
            length={length}
            place={place}
            numberText={numberText}
            setStretch={setStretch}
          />
        )}
      </div>
      <div class="chain" ref={frame} {...handlers} onWheel={turn}>
        {width > 0 && place >= view.from && place < view.to && (
          <div class="cursor" style={{ left: `${edgeOf(view, place + 0.5)}px` }} />
        )}
        {width > 0 && children(view)}
        {pointed?.track != null && (
          <Tip
            text={props.tip(place, pointed.track)}
            left={edgeOf(view, place + 0.5)}
            top={pointed.top}
            width={width}
          />
        )}
      </div>
    </div>
  );
}

function numberFromOne(place: number): string {
  return String(place + 1);
}

/** The wheel alone scrolls the page: with Control it zooms, with Shift it moves. Null for neither. */
function turnedStretch(
  { ctrlKey, metaKey, shiftKey, deltaX, deltaY }: WheelEvent,
  stretch: Stretch,
  length: number,
  centre: number,
): Stretch | null {
  if (shiftKey) {
    const tenth = Math.max(1, (stretch.to - stretch.from) / 10);
    return moved(stretch, length, Math.sign(deltaY || deltaX) * tenth);
  }
  return ctrlKey || metaKey ? zoomed(stretch, length, deltaY > 0 ? 1.25 : 0.8, centre) : null;
}

interface Pointed {
  readonly track: string | null;
  readonly top: number;
}

/** The position and track under the pointer. */
function usePointing(
  frame: { readonly current: HTMLElement | null },
  view: View,
  setPlace: (place: number) => void,
) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const placeAt = ({ clientX }: MouseEvent): number | null => {
    const { left = 0 } = frame.current?.getBoundingClientRect() ?? {};
    const at = view.from + Math.floor((clientX - left - view.left) / stepOf(view));
    return at >= view.from && at < view.to ? at : null;
  };
  const point = (event: PointerEvent): void => {
    const at = placeAt(event);
    if (at === null) return;
    const track = (event.target as Element).closest<HTMLElement>('[data-track]');
    const { top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    setPlace(at);
    setPointed({ track: track?.dataset['track'] ?? null, top: event.clientY - top });
  };
  const handlers = {
    onPointerMove: point,
    onPointerDown: point,
    onPointerLeave: () => setPointed(null),
  };
  return { pointed, placeAt, handlers };
}

interface ControlsProps extends Pick<TrackStackProps, 'length' | 'unit' | 'readout' | 'placeText'> {
  readonly place: number;
  readonly setPlace: (place: number) => void;
  readonly stretch: Stretch;
  readonly setStretch: (stretch: Stretch) => void;
}

function Controls(props: ControlsProps) {
  const { length, unit, readout, placeText, place, setPlace, stretch, setStretch } = props;
  const follow = (at: number): void => {
    setPlace(at);
    if (at < stretch.from) setStretch(moved(stretch, length, at - stretch.from));
    if (at >= stretch.to) setStretch(moved(stretch, length, at - stretch.to + 1));
  };
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
          onInput={({ currentTarget }) => follow(Number(currentTarget.value))}
        />
      </label>
      <output>{readout(place)}</output>
      <StretchButtons length={length} place={place} stretch={stretch} setStretch={setStretch} />
    </div>
  );
}

type StretchButtonsProps = Pick<ControlsProps, 'length' | 'place' | 'stretch' | 'setStretch'>;

function StretchButtons({ length, place, stretch, setStretch }: StretchButtonsProps) {
  const { from, to } = stretch;
  const half = (to - from) / 2;
  const zoom = (factor: number) => () => setStretch(zoomed(stretch, length, factor, place));
  const move = (places: number) => () => setStretch(moved(stretch, length, places));
  return (
    <span class="buttons" role="group" aria-label="Visible part of the chain">
      <button type="button" aria-label="Move left" disabled={from === 0} onClick={move(-half)}>
        <Icon name="left" />
      </button>
      <button type="button" aria-label="Move right" disabled={to === length} onClick={move(half)}>
        <Icon name="right" />
      </button>
      <button type="button" aria-label="Zoom in" onClick={zoom(0.5)}>
        <Icon name="plus" />
      </button>
      <button type="button" aria-label="Zoom out" disabled={to - from === length} onClick={zoom(2)}>
        <Icon name="minus" />
      </button>
      <button
        type="button"
        disabled={to - from === length}
        onClick={() => setStretch({ from: 0, to: length })}
      >
        Full length
      </button>
    </span>
  );
}

interface TipProps {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** Repeats the line above the plots, so it is hidden from screen readers. */
function Tip({ text, left, top, width }: TipProps) {
  const side = left > width / 2 ? { right: `${width - left + 12}px` } : { left: `${left + 12}px` };
  return (
    <div class="tip" aria-hidden="true" style={{ top: `${top}px`, ...side }}>
      {text}
    </div>
  );
}
