/** Text values along a chain, PSPer's states: runs of one state as bars. */
import { useMemo } from 'preact/hooks';
import { keyInLines, KeyEntries } from '../take/key-entries.tsx';
import { SavedPicture } from '../take/saved-picture.tsx';
import { predictorOf } from './predictors.ts';
import { edgeOf, stepOf, type View } from './view.ts';

interface StateTrackProps {
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
  const kinds = kindsOf(runs);
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
    </div>
  );
}

/** PSPer's states, in a fixed order so that each has the same colour in every protein. */
const KNOWN = ['PLD', 'RRM', 'SPACER', 'OTHER'];

function kindsOf(runs: readonly Run[]): readonly string[] {
  const found = new Set(runs.map(({ word }) => word));
  return [...KNOWN.filter((word) => found.has(word)), ...[...found].filter(isUnknown)];
}

function isUnknown(word: string): boolean {
  return !KNOWN.includes(word);
}

function colourOf(word: string, kinds: readonly string[]): string {
  const place = KNOWN.indexOf(word);
  const colour = place === -1 ? KNOWN.length + kinds.filter(isUnknown).indexOf(word) : place;
  return `var(--series-${(colour % 6) + 1})`;
}

interface RunBarsProps {
  readonly runs: readonly Run[];
  readonly kinds: readonly string[];
  readonly view: View;
  readonly label: string;
}

const BARS_HEIGHT = 18;

/** The visible runs, with the key below them, so that a saved picture has both. */
function RunBars({ runs, kinds, view, label }: RunBarsProps) {
  const step = stepOf(view);
  const shown = runs.flatMap((run) => {
    const from = Math.max(view.from, run.from);
    const length = Math.min(view.to, run.from + run.length) - from;
    return length > 0 ? [{ ...run, from, length }] : [];
  });
  const texts = kinds.map((word) => ({ name: word, text: word }));
  const key = keyInLines(texts, { left: view.left, top: BARS_HEIGHT, width: view.width });
  return (
    <svg
      class="states"
      width={view.width}
      height={BARS_HEIGHT + key.height}
      role="img"
      aria-label={`${label}: ${runText(runs)}`}
    >
      {shown.map(({ word, from, length }) => (
        <rect
          key={from}
          x={edgeOf(view, from)}
          width={Math.max(0.5, length * step - 0.5)}
          y={2}
          height={14}
          fill={colourOf(word, kinds)}
        >
          <title>{`${word}, ${from + 1}–${from + length}`}</title>
        </rect>
      ))}
      <KeyEntries entries={key.entries} colourOf={(word) => colourOf(word, kinds)} />
    </svg>
  );
}

/** For screen readers: `PLD 1–80, RRM 81–130`. */
function runText(runs: readonly Run[]): string {
  return runs.map(({ word, from, length }) => `${word} ${from + 1}–${from + length}`).join(', ');
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
