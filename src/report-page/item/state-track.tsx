/** Words along a chain, PSPer's states: runs of one state as bars. */
import { useMemo } from 'preact/hooks';
import { SavedPicture } from '../take/saved-picture.tsx';
import { predictorOf } from './predictors.ts';
import { edgeOf, stepOf, type View } from './view.ts';

export interface StateTrackProps {
  readonly track: string;
  readonly view: View;
  readonly words: readonly (string | null)[];
}

interface Run {
  readonly word: string;
  readonly from: number;
  readonly length: number;
}

export function StateTrack({ track, view, words }: StateTrackProps) {
  const { title, by } = predictorOf(track);
  const runs = useMemo(() => runsOf(words), [words]);
  const kinds = [...new Set(runs.map(({ word }) => word))];
  const label = `${title} along the chain`;
  return (
    <div class="track" data-track={track}>
      <h4>
        {title}{' '}
        <span class="quiet">
          {by}
          {` · ${track}`}
        </span>
      </h4>
      <SavedPicture name={label}>
        <RunBars runs={runs} kinds={kinds} view={view} label={label} />
      </SavedPicture>
      <p class="key">
        {kinds.map((word, place) => (
          <span key={word} class="entry">
            <span class="swatch" style={{ background: colourOf(place) }} />
            {word}
          </span>
        ))}
      </p>
    </div>
  );
}

function colourOf(kind: number): string {
  return `var(--series-${(kind % 6) + 1})`;
}

interface RunBarsProps {
  readonly runs: readonly Run[];
  readonly kinds: readonly string[];
  readonly view: View;
  readonly label: string;
}

/** Those in view. */
function RunBars({ runs, kinds, view, label }: RunBarsProps) {
  const step = stepOf(view);
  const shown = runs.flatMap((run) => {
    const from = Math.max(view.from, run.from);
    const length = Math.min(view.to, run.from + run.length) - from;
    return length > 0 ? [{ ...run, from, length }] : [];
  });
  return (
    <svg class="states" width={view.width} height={18} role="img" aria-label={label}>
      {shown.map(({ word, from, length }) => (
        <rect
          key={from}
          x={edgeOf(view, from)}
          width={Math.max(0.5, length * step - 0.5)}
          y={2}
          height={14}
          fill={colourOf(kinds.indexOf(word))}
        >
          <title>{`${word}, ${from + 1}–${from + length}`}</title>
        </rect>
      ))}
    </svg>
  );
}

function runsOf(words: readonly (string | null)[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [place, raw] of words.entries()) {
    if (raw === null) continue;
    const word = raw.trim();
    const last = runs.at(-1);
    if (last?.word === word && last.from + last.length === place) {
      runs[runs.length - 1] = { ...last, length: last.length + 1 };
    } else {
      runs.push({ word, from: place, length: 1 });
    }
  }
  return runs;
}
