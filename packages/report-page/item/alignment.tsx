/** An alignment: the distribution of every predictor over its columns, and its rows. */
import { useMemo, useState } from 'preact/hooks';
import type { PackedAlignment, PackedProtein, PackedSpread } from '../../../src/kinds/page-data.ts';
import { isText, numbersOf } from '../../../src/kinds/protein/packing.ts';
import { AlignedRows } from './aligned-rows.tsx';
import { Readout } from './readout.tsx';
import { valueText } from './value-text.ts';
import { predictorOf } from './predictors.ts';
import { type Line, together } from './line.ts';
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
        The line is the median of the rows, the dark band their interquartile range. The light band
        reaches 1.5 times that range further on both sides; values beyond it are outliers.
      </p>
      <p>
        <label>
          Compare a row with the median{' '}
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
  /** The row shown with the median; -1 for none. */
  readonly chosen: number;
}

function Columns({ alignment: { proteins, columns, spreads }, chosen }: ColumnsProps) {
  const row = proteins[chosen];
  const medians = useMemo(
    () => Object.fromEntries(Object.entries(spreads).map(([key, { median }]) => [key, median])),
    [spreads],
  );
  const charts = useMemo(
    () => together(Object.entries(spreads).map(([key, spread]) => lineOf(key, spread))),
    [spreads],
  );
  const tip = (place: number, keys: string): string => {
    const values = keys.split(' ').flatMap((key) => {
      const track = medians[key];
      return track === undefined
        ? []
        : [`${predictorOf(key).title} ${valueText(key, track, place)}`];
    });
    const head = columnHead(proteins, place, row);
    return values.length === 0 ? head : `${place + 1}: ${values.join(', ')}`;
  };
  return (
    <TrackStack
      length={columns}
      unit="Column"
      left={NAMES}
      placeText={(place) => `${place + 1}`}
      tip={tip}
      readout={(place) => (
        <Readout head={columnHead(proteins, place, row)} tracks={medians} place={place} />
      )}
    >
      {(view) => (
        <>
          <AlignedRows proteins={proteins} columns={columns} view={view} chosen={chosen} />
          {charts.map((lines) => (
            <TrackChart
              key={lines[0]?.key}
              view={view}
              lines={lines}
              row={lines.length === 1 ? rowValues(row, lines[0]?.key ?? '') : undefined}
            />
          ))}
        </>
      )}
    </TrackStack>
  );
}

/** Space for the names of the rows, in CSS pixels. */
const NAMES = 132;

function lineOf(key: string, spread: PackedSpread): Line {
  return {
    key,
    values: numbersOf(spread.median),
    spread: {
      quartiles: [numbersOf(spread.firstQuartile), numbersOf(spread.thirdQuartile)],
      whiskers: [numbersOf(spread.bottomOutlier), numbersOf(spread.topOutlier)],
    },
  };
}

function rowValues(row: PackedProtein | undefined, key: string) {
  const track = row?.tracks[key];
  return track === undefined || isText(track) ? undefined : numbersOf(track);
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
