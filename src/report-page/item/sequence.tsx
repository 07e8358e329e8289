/** A sequence: every predictor along its residues. */
import { useMemo } from 'preact/hooks';
import type { PackedProtein, PackedSequence } from '../data.ts';
import { isText, numbersOf, placesOf, wordsOf } from '../packing.ts';
import { residueName, scoreMeaning } from './predictors.ts';
import { Readout, valueText } from './readout.tsx';
import { ResidueLetters } from './residue-letters.tsx';
import { StateTrack } from './state-track.tsx';
import { TrackChart } from './track-chart.tsx';
import { TrackStack } from './track-stack.tsx';

export function SequenceView({ sequence }: { readonly sequence: PackedSequence }) {
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
          {(width) => (
            <>
              <ResidueLetters residues={residues} width={width} />
              <Tracks tracks={tracks} width={width} />
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
  const track = tracks[key];
  return track === undefined ? head : `${head}: ${valueText(key, track, place)}`;
}

function Score({ name, value }: { readonly name: string; readonly value: number | string }) {
  const meaning = scoreMeaning(name, value);
  return (
    <span class="score">
      {name} {typeof value === 'number' ? value.toFixed(3) : value}
      {meaning !== null && <span class="quiet"> ({meaning})</span>}
    </span>
  );
}

function Tracks({
  tracks,
  width,
}: {
  readonly tracks: PackedProtein['tracks'];
  readonly width: number;
}) {
  const unpacked = useMemo(
    () =>
      Object.entries(tracks).map(([key, track]) =>
        isText(track) ? { key, words: wordsOf(track) } : { key, values: numbersOf(track) },
      ),
    [tracks],
  );
  return (
    <>
      {unpacked.map((track) =>
        'words' in track ? (
          <StateTrack key={track.key} track={track.key} width={width} words={track.words ?? []} />
        ) : (
          <TrackChart key={track.key} track={track.key} width={width} values={track.values} />
        ),
      )}
    </>
  );
}

/** Where the payload shows no residues, the tracks tell. */
export function lengthOf({ residues, tracks }: Pick<PackedProtein, 'residues' | 'tracks'>): number {
  return Math.max(residues.length, ...Object.values(tracks).map(placesOf));
}
