/** ShiftCrypt's index along the chains of a shift file. */
import { lineY, dot, text, gridY, rect, ruleY, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import { SHIFTS_MISSING } from '../../../src/kinds/protein/reading.ts';
import { numbersOf } from '../../../src/kinds/protein/packing.ts';
import type { PackedChains } from '../../../src/kinds/page-data.ts';
import { ResidueLetters, roundPlaces } from './chain-axis.tsx';
import { residueName } from './predictors.ts';
import { TrackStack } from './track-stack.tsx';
import { RIGHT, type View } from './view.ts';

type Chain = PackedChains['chains'][number];

export function ShiftsView({ shifts }: { readonly shifts: PackedChains }) {
  return (
    <section aria-labelledby="result">
      <h2 id="result">ShiftCrypt index along the chain</h2>
      <p>
        The index sums up the shifts of a residue in one number, mostly between 0 and 1.{' '}
        <strong>Low</strong> values indicate helix, <strong>high</strong> ones strand; coil is in
        between.
      </p>
      {shifts.chains.map((chain, place) => (
        <ChainView key={place} chain={chain} />
      ))}
    </section>
  );
}

function ChainView({ chain }: { readonly chain: Chain }) {
  const { name, chain: letter, residues, numbers } = chain;
  const values = useMemo(
    () => numbersOf(chain.shiftCrypt).map((value) => (value === SHIFTS_MISSING ? null : value)),
    [chain],
  );
  const missing = values.filter((value) => value === null).length;
  const placeText = (place: number): string =>
    `${numbers[place] ?? place + 1} ${residueName(residues[place] ?? '')}`.trim();
  const valueOf = (place: number): string =>
    values[place]?.toFixed(3) ?? 'no value, too many of its shifts are missing';
  return (
    <>
      <p class="protein">
        <strong>{name}</strong>
        {letter !== null && letter !== '' && `, chain ${letter}`}, {values.length} residues.{' '}
        {missing === 0
          ? 'Every residue has a value.'
          : `${missing} have none (−10): too many of their shifts are missing. They are gaps in the line, with a grey mark below it.`}
      </p>
      {values.length > 0 && (
        <TrackStack
          length={values.length}
          unit="Residue"
          placeText={placeText}
          numberText={(place) => String(numbers[place] ?? '')}
          tip={(place) => `${placeText(place)}: ${valueOf(place)}`}
          readout={(place) => (
            <>
              <strong>{placeText(place)}</strong>
              <span class="value">{valueOf(place)}</span>
            </>
          )}
        >
          {(view) => (
            <>
              <ResidueLetters residues={residues} view={view} />
              <Profile name={name} values={values} numbers={numbers} view={view} />
            </>
          )}
        </TrackStack>
      )}
    </>
  );
}

interface ProfileProps {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly numbers: Chain['numbers'];
  readonly view: View;
}

function Profile({ name, values, numbers, view }: ProfileProps) {
  const { width, left, from, to } = view;
  const options = useMemo(
    () => profile(values, numbers, { width, left, from, to }),
    [values, numbers, width, left, from, to],
  );
  return (
    <div data-track="shiftCrypt">
      <Chart label={`ShiftCrypt index of ${name}`} options={options} width={width} />
    </div>
  );
}

interface Place {
  readonly at: number;
  readonly value: number | null;
}

function profile(values: readonly (number | null)[], numbers: Chain['numbers'], view: View) {
  const { left, from, to } = view;
  const places: readonly Place[] = values
    .slice(from, to)
    .map((value, place) => ({ at: from + place + 1, value }));
  const low = Math.min(0, ...values.filter((value) => value !== null));
  const high = Math.max(1, ...values.filter((value) => value !== null));
  const band = (high - low) * 0.06;
  return (): PlotOptions => ({
    height: 240,
    marginLeft: left,
    marginRight: RIGHT,
    marginTop: 8,
    marginBottom: 32,
    x: {
      domain: [from + 0.5, to + 0.5],
      label: null,
      // The same numbers as on the axis above.
      ticks: roundPlaces(view, (place) => String(numbers[place] ?? '')).map((place) => place + 1),
      tickFormat: (at: number) => String(numbers[at - 1] ?? ''),
      interval: 1,
    },
    y: { domain: [low - 2 * band, high + band], label: null, ticks: 5 },
    marks: [
      gridY({ strokeOpacity: 0.12, ticks: 5 }),
      rect(
        places.filter(({ value }) => value === null),
        {
          x1: ({ at }: Place) => at - 0.5,
          x2: ({ at }: Place) => at + 0.5,
          y1: low - 2 * band,
          y2: low - band,
          fill: 'var(--missing)',
        },
      ),
      ruleY([low]),
      lineY(places, { x: 'at', y: 'value', stroke: 'var(--series-1)', strokeWidth: 1.5 }),
      dot(
        places.filter(({ value }) => value !== null),
        { x: 'at', y: 'value', r: 1.8, fill: 'var(--series-1)' },
      ),
      end(high, 'high: strand', 10),
      end(low, 'low: helix', -10),
    ],
  });
}

/** Labels an end of the axis. */
function end(value: number, words: string, dy: number) {
  return text([value], {
    y: (one: number) => one,
    text: () => words,
    dy,
    dx: -4,
    frameAnchor: 'right' as const,
    textAnchor: 'end' as const,
    fill: 'var(--quiet)',
    // Readable on the line.
    stroke: 'var(--ground)',
    strokeWidth: 4,
  });
}
