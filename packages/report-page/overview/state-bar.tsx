/** How many items ended in which state, as a bar. */
import { useRef } from 'preact/hooks';
import type { Counts } from '../../../src/domain/campaign-facts.ts';
import { keyInLines, KeyEntries } from '../take/key-entries.tsx';
import { SavedPicture } from '../take/saved-picture.tsx';
import { useWidth } from '../use-width.ts';
import { countText } from '../words.ts';

type State = Exclude<keyof Counts, 'total'>;

interface StateBarProps {
  readonly counts: Counts;
  readonly states: readonly State[];
}

const HEIGHT = 12;
const GAP = 2;
/** A non-zero state is always visible. */
const LEAST = 3;

export function StateBar({ counts, states }: StateBarProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const shown = states.filter((state) => counts[state] > 0);
  const parts = partsOf(
    shown.map((state) => counts[state]),
    width,
  );
  const texts = shown.map((state) => ({ name: state, text: textOf(counts, state) }));
  const key = keyInLines(texts, { left: 0, top: HEIGHT + 4, width });
  return (
    <div class="bar" ref={frame}>
      {width > 0 && shown.length > 0 && (
        <SavedPicture name="Items by state">
          <svg
            width={width}
            height={HEIGHT + 4 + key.height}
            role="img"
            aria-label={`Items by state: ${texts.map(({ text }) => text).join(', ')}`}
          >
            {shown.map((state, place) => (
              <rect
                key={state}
                x={parts[place]?.from}
                width={parts[place]?.width}
                height={HEIGHT}
                rx={2}
                fill={colourOf(state)}
              />
            ))}
            <KeyEntries entries={key.entries} colourOf={colourOf} />
          </svg>
        </SavedPicture>
      )}
    </div>
  );
}

const colourOf = (state: string): string => `var(--state-${state})`;

function textOf(counts: Counts, state: State): string {
  return `${countText(counts[state])} ${state}`;
}

/** Side by side over the whole width, proportional to their numbers. */
function partsOf(numbers: readonly number[], width: number) {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  const room = width - GAP * (numbers.length - 1) - LEAST * numbers.length;
  let from = 0;
  return numbers.map((number) => {
    const part = { from, width: LEAST + (number / total) * Math.max(0, room) };
    from += part.width + GAP;
    return part;
  });
}
