/** An alignment: how every predictor spreads over its columns, and its rows. */
import { useMemo, useState } from 'preact/hooks';
import type { PackedAlignment, PackedProtein, PackedSpread, PackedTrack } from '../data.ts';
import { isText, numbersOf } from '../packing.ts';
import { AlignedRows } from './aligned-rows.tsx';
import { Readout, valueText } from './readout.tsx';
import { TrackChart } from './track-chart.tsx';
import { TrackStack } from './track-stack.tsx';

export function AlignmentView({ alignment }: { readonly alignment: PackedAlignment }) {
  const { proteins, columns } = alignment;
  const [chosen, choose] = useState(-1);
  return (
    <section aria-labelledby="result">
      <h2 id="result">
        Predictions by column{' '}
        <span class="quiet">
          {proteins.length} rows, {columns} columns
        </span>
      </h2>
      <p>
        The line is the median of the rows, the dark band holds the middle half of them (quartiles).
        A value outside of the light band would be an outlier: more than 1.5 times the width of the
        dark band away from it.
      </p>
      <p>
        <label>
          One row beside the median{' '}
          <select
            value={chosen}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
          >
            <option value={-1}>none</option>
            {proteins.map(({ name }, place) => (
              <option key={place} value={place}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
      {columns > 0 && <Columns alignment={alignment} chosen={chosen} />}
    </section>
  );
}

interface ColumnsProps {
  readonly alignment: PackedAlignment;
  /** The row beside the median; -1 for none. */
  readonly chosen: number;
}

function Columns({ alignment: { proteins, columns, spreads }, chosen }: ColumnsProps) {
  const row = proteins[chosen];
  const medians = useMemo(
    () => Object.fromEntries(Object.entries(spreads).map(([key, { median }]) => [key, median])),
    [spreads],
  );
  const tip = (place: number, key: string): string => {
    const track = medians[key];
    return track === undefined
      ? columnHead(proteins, place, row)
      : `${place + 1}: ${valueText(key, track, place)}`;
  };
  return (
    <TrackStack
      length={columns}
      unit="Column"
      placeText={(place) => `${place + 1}`}
      tip={tip}
      readout={(place) => (
        <Readout head={columnHead(proteins, place, row)} tracks={medians} place={place} />
      )}
    >
      {(width) => (
        <>
          <AlignedRows proteins={proteins} columns={columns} width={width} chosen={chosen} />
          {Object.entries(spreads).map(([key, spread]) => (
            <SpreadChart
              key={key}
              track={key}
              spread={spread}
              row={row?.tracks[key]}
              width={width}
            />
          ))}
        </>
      )}
    </TrackStack>
  );
}

/** `12: 4 of 6 rows, E in CBBQ_CHRVI`. */
function columnHead(
  proteins: readonly PackedProtein[],
  place: number,
  row: PackedProtein | undefined,
): string {
  const filled = proteins.filter(({ residues }) => (residues[place] ?? '-') !== '-').length;
  const own = row === undefined ? '' : `, ${row.residues[place] ?? '-'} in ${row.name}`;
  return `${place + 1}: ${filled} of ${proteins.length} rows${own}`;
}

interface SpreadChartProps {
  readonly track: string;
  readonly spread: PackedSpread;
  readonly row: PackedTrack | undefined;
  readonly width: number;
}

function SpreadChart({ track, spread, row, width }: SpreadChartProps) {
  const unpacked = useMemo(
    () => ({
      median: numbersOf(spread.median),
      bands: {
        quartiles: [numbersOf(spread.firstQuartile), numbersOf(spread.thirdQuartile)] as const,
        whiskers: [numbersOf(spread.bottomOutlier), numbersOf(spread.topOutlier)] as const,
      },
    }),
    [spread],
  );
  const ofRow = useMemo(
    () => (row === undefined || isText(row) ? undefined : numbersOf(row)),
    [row],
  );
  return (
    <TrackChart
      track={track}
      width={width}
      values={unpacked.median}
      spread={unpacked.bands}
      row={ofRow}
    />
  );
}
