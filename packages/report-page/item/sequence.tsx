/** A sequence: every predictor along its residues. */
import { useMemo } from 'preact/hooks';
import type { PackedProtein, PackedProteins } from '../../../src/kinds/page-data.ts';
import { isText, numbersOf, placesOf, wordsOf } from '../../../src/kinds/protein/packing.ts';
import { predictorOf, residueName, scoreMeaning } from './predictors.ts';
import { Readout } from './readout.tsx';
import { ResidueLetters } from './chain-axis.tsx';
import { StateTrack } from './state-track.tsx';
import { TrackChart } from './track-chart.tsx';
import { together } from './line.ts';
import { TrackStack } from './track-stack.tsx';
import { valueText } from './value-text.ts';
import type { View } from './view.ts';

export function SequenceView({ sequence }: { readonly sequence: PackedProteins }) {
  return (
    <section aria-labelledby="result">
      <h2 id="result">Predictions along the chain</h2>
      {sequence.proteins.map((protein, place) => (
        <ProteinView key={place} protein={protein} />
      ))}
    </section>
  );
}

function ProteinView({ protein }: { readonly protein: PackedProtein }) {
  const { name, residues, tracks, scores } = protein;
  const length = useMemo(() => lengthOf(protein), [protein]);
  const placeText = (place: number): string =>
    `${place + 1} ${residueName(residues[place] ?? '')}`.trim();
  return (
    <>
      <p class="protein">
        <strong>{name}</strong>, {length} residues
        {Object.entries(scores).map(([key, value]) => (
          <Score key={key} name={key} value={value} />
        ))}
      </p>
      {length > 0 && (
        <TrackStack
          length={length}
          unit="Residue"
          placeText={placeText}
          tip={(place, key) => tipText(placeText(place), key, tracks, place)}
          readout={(place) => <Readout head={placeText(place)} tracks={tracks} place={place} />}
        >
          {(view) => (
            <>
              <ResidueLetters residues={residues} view={view} />
              <Tracks tracks={tracks} view={view} />
            </>
          )}
        </TrackStack>
      )}
    </>
  );
}

function tipText(
  head: string,
  key: string,
  tracks: PackedProtein['tracks'],
  place: number,
): string {
  const values = key.split(' ').flatMap((one) => {
    const track = tracks[one];
    const text = track === undefined ? '' : valueText(one, track, place);
    return text === ''
      ? []
      : [key === one ? text : `${predictorOf(one).title.toLowerCase()} ${text}`];
  });
  return values.length === 0 ? head : `${head}: ${values.join(', ')}`;
}

const SCORE_WORDS: Readonly<Record<string, string>> = { protein_score: 'Phase separation (PSPer)' };

function Score({ name, value }: { readonly name: string; readonly value: number | string }) {
  const meaning = scoreMeaning(name, value);
  return (
    <span class="score">
      {SCORE_WORDS[name] ?? name} {typeof value === 'number' ? value.toFixed(3) : value}
      {meaning !== null && <span class="quiet"> ({meaning})</span>}
    </span>
  );
}

interface TracksProps {
  readonly tracks: PackedProtein['tracks'];
  readonly view: View;
}

function Tracks({ tracks, view }: TracksProps) {
  const { charts, words } = useMemo(() => {
    const all = Object.entries(tracks);
    const numbers = all.filter(([, track]) => !isText(track));
    return {
      charts: together(numbers.map(([key, track]) => ({ key, values: numbersOf(track) }))),
      words: all.flatMap(([key, track]) => (isText(track) ? [{ key, words: wordsOf(track) }] : [])),
    };
  }, [tracks]);
  return (
    <>
      {charts.map((lines) => (
        <TrackChart key={lines[0]?.key} view={view} lines={lines} />
      ))}
      {words.map((track) => (
        <StateTrack key={track.key} track={track.key} view={view} words={track.words} />
      ))}
    </>
  );
}

/** If the payload has no residues, the tracks have the length. */
function lengthOf({ residues, tracks }: Pick<PackedProtein, 'residues' | 'tracks'>): number {
  return Math.max(residues.length, ...Object.values(tracks).map(placesOf));
}
