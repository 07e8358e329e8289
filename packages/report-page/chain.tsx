/**
 * Plots along one chain, one below the other, with a common cursor: the pointer moves it, and so does a slider for the
 * keyboard. The values at the cursor are shown as text. A part of the chain can be zoomed in.
 *
 * Rejected: Nightingale's components. Interpretations, quartiles, gaps, the cursor as text, keyboard, print and the
 * page's colours would need more code around them than this.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  countFromOne,
  type Point,
  RIGHT,
  type Stretch,
  type Tracks,
  describeValue,
  type View,
} from './track.tsx';

interface ChainProps extends Pick<View, 'facts' | 'placeText'>, Partial<Pick<View, 'numberText'>> {
  readonly length: number;
  /** The name of a position: `Residue`, `Column`. */
  readonly unit: string;
  /** Their values are shown at the cursor. */
  readonly tracks: Tracks;
  readonly left?: number;
  readonly children: (view: View) => ComponentChildren;
}

const LEFT = 46;

export function Chain(props: ChainProps) {
  const { length, unit, tracks, facts, placeText, left = LEFT, children } = props;
  const { numberText = countFromOne } = props;
  const [place, setPlace] = useState(0);
  const [{ from, to }, setStretch] = useState<Stretch>({ from: 0, to: length });
  const view = useMemo((): View => {
    const point = (datum: unknown): void => {
      if (datum !== null) setPlace((datum as Point).at - 1);
    };
    return { from, to, left, facts, numberText, placeText, point };
    // The texts are those of the chain, which has its own component.
  }, [from, to, left, facts]);
  const plots = useMemo(() => children(view), [view, tracks]);
  // Not rendered again with the cursor: that would undo what is being typed.
  const inputs = useMemo(
    () => <StretchInputs shown={{ length, from, to, numberText }} setStretch={setStretch} />,
    [length, from, to],
  );
  const part = (place + 0.5 - from) / (to - from);
  const cursor = `calc(${left}px + (100% - ${left + RIGHT}px) * ${part})`;
  return (
    <div class="stack">
      <div class="readout small">
        <label>
          {unit}
          <input
            type="range"
            min={from}
            max={to - 1}
            value={place}
            aria-valuetext={placeText(place)}
            onInput={({ currentTarget }) => setPlace(Number(currentTarget.value))}
          />
        </label>
        <output>
          <strong>{placeText(place)}</strong>
          {Object.entries(tracks).map(([key, track]) => (
            <span key={key}>
              <span class="quiet">{facts[key]?.title ?? key}</span>{' '}
              {describeValue(facts[key], track, place)}
            </span>
          ))}
        </output>
        {inputs}
      </div>
      <div class="chain">
        {part > 0 && part < 1 && <div class="cursor" style={{ left: cursor }} />}
        {plots}
      </div>
    </div>
  );
}

interface StretchInputsProps {
  readonly shown: Stretch & Pick<View, 'numberText'> & Pick<ChainProps, 'length'>;
  readonly setStretch: (stretch: Stretch) => void;
}

/** The minimum number of visible positions. */
const MIN_SHOWN = 10;

/** The visible part, by the numbers of the axis. */
function StretchInputs({ shown, setStretch }: StretchInputsProps) {
  const { length, from, to, numberText } = shown;
  const numbers = Array.from({ length }, (_, place) => Number(numberText(place)));
  const show = (first: number, last: number): void => {
    const start = Math.max(0, Math.min(first, length - MIN_SHOWN));
    setStretch({ from: start, to: Math.min(length, Math.max(last, start + MIN_SHOWN)) });
  };
  const input = (label: string, place: number, take: (place: number) => void) => (
    <input
      type="number"
      aria-label={label}
      value={numbers[place]}
      onChange={({ currentTarget: { value } }) =>
        take(numbers.findLastIndex((number) => number <= Number(value)))
      }
    />
  );
  return (
    <fieldset class="line">
      <legend class="hidden">Visible part of the chain</legend>
      {input('First visible position', from, (place) => show(place, to))}–
      {input('Last visible position', to - 1, (place) => show(from, place + 1))}
      <button type="button" disabled={to - from === length} onClick={() => show(0, length)}>
        Full length
      </button>
    </fieldset>
  );
}
