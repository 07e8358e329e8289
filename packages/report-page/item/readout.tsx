/** The values under the cursor, with their meaning. */
import type { PackedTrack } from '../../../src/kinds/page-data.ts';
import { predictorOf } from './predictors.ts';
import { valueText } from './value-text.ts';

interface ReadoutProps {
  readonly head: string;
  readonly tracks: Readonly<Record<string, PackedTrack>>;
  readonly place: number;
}

export function Readout({ head, tracks, place }: ReadoutProps) {
  return (
    <>
      <strong>{head}</strong>
      {Object.entries(tracks).map(([key, track]) => (
        <span key={key} class="value">
          <span class="quiet">{predictorOf(key).title}</span> {valueText(key, track, place)}
        </span>
      ))}
    </>
  );
}
