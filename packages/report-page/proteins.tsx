/** The results of predictions: a sequence, an alignment, or the chains of a shift file. */
import * as Plot from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import type {
  ColumnSpread,
  PackedAlignment,
  PackedChains,
  PackedProteins,
  ProteinReading,
  Track,
} from '../../src/report/page-data.ts';
import { Chain } from './chain.tsx';
import { Chart } from './chart.tsx';
import {
  type AllFacts,
  buildChainAxis,
  findBand,
  groupLines,
  type Line,
  RIGHT,
  TrackChart,
  type View,
} from './track.tsx';

interface ResultProps<Result> {
  readonly facts: AllFacts;
  readonly result: Result;
}

export function SequenceView({ facts, result }: ResultProps<PackedProteins>) {
  return (
    <section aria-labelledby="result">
      <h2 id="result">Predictions along the chain</h2>
      {result.proteins.map((protein, place) => (
        <ProteinView key={place} facts={facts} result={protein} />
      ))}
    </section>
  );
}

function ProteinView({ facts, result }: ResultProps<PackedProteins['proteins'][number]>) {
  const { name, residues, tracks, scores, regions } = result;
  // If the payload has no residues, the tracks have the length.
  const length = Math.max(residues.length, ...Object.values(tracks).map((track) => track.length));
  const charts = useMemo(
    () => groupLines(Object.entries(tracks).map(([key, values]) => ({ key, values }))),
    [tracks],
  );
  return (
    <>
      <p class="protein">
        <strong>{name}</strong>, {length} residues
        <DatabaseLinks name={name} />
        {Object.entries(scores).map(([key, value]) => (
          <span key={key}>
            {' · '}
            {facts[key]?.title ?? key} {value.toFixed(3)}{' '}
            <span class="quiet">{findBand(facts[key]?.bands ?? [], value)?.words}</span>
          </span>
        ))}
      </p>
      <Regions text={regions} />
      {length > 0 && (
        <Chain
          length={length}
          unit="Residue"
          facts={facts}
          tracks={tracks}
          placeText={(place) => `${place + 1} ${residues[place] ?? ''}`.trim()}
        >
          {(view) =>
            charts.map((lines, place) => (
              <TrackChart
                key={lines[0]?.key}
                view={view}
                lines={lines}
                residues={place === 0 ? residues : undefined}
              />
            ))
          }
        </Chain>
      )}
    </>
  );
}

function Regions({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="protein">
      <strong>Regions:</strong> {text}
    </p>
  );
}

/** The form of UniProt's accessions (https://www.uniprot.org/help/accession_numbers), in a header of its FASTA files. */
const ACCESSION = /\b(?:sp|tr)[|_]([OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})[|_]/;

/** For `sp|P99998|CYC_PANTR`. */
function DatabaseLinks({ name }: { readonly name: string }) {
  const accession = ACCESSION.exec(name)?.[1];
  if (accession === undefined) return null;
  return (
    <span>
      {' · '}
      <a href={`https://www.uniprot.org/uniprotkb/${accession}`}>UniProt</a>{' '}
      <a href={`https://alphafold.ebi.ac.uk/entry/${accession}`}>AlphaFold DB</a>
    </span>
  );
}

/** Space for the names of the rows, in CSS pixels, and the letters that fit into it. */
const NAMES = 116;
const MAX_NAME = 15;

export function AlignmentView({ facts, result: alignment }: ResultProps<PackedAlignment>) {
  const { proteins, columns } = alignment;
  const { tracks, charts } = useMemo(() => readColumns(alignment), [alignment]);
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
        reaches up to 1.5 times that range further, as far as there are rows; rows beyond it are
        outliers.
      </p>
      <Regions text={alignment.regions} />
      {columns > 0 && (
        <Chain
          length={columns}
          unit="Column"
          left={NAMES}
          facts={facts}
          tracks={tracks}
          placeText={(place) => describeColumn(proteins, place)}
        >
          {(view) => (
            <>
              <AlignedRows view={view} alignment={alignment} />
              {charts.map((lines) => (
                <TrackChart key={lines[0]?.key} view={view} lines={lines} />
              ))}
            </>
          )}
        </Chain>
      )}
    </section>
  );
}

/** Conservation and the medians, by key, and the charts of them. */
function readColumns({ proteins, spreads, conserved }: PackedAlignment) {
  const medians = Object.entries(spreads).map(([key, { median }]) => [key, median] as const);
  const tracks: Readonly<Record<string, Track>> = {
    ...(conserved && { conservation: conserved }),
    ...Object.fromEntries(medians),
  };
  const lines = Object.entries(tracks).map(([key, values]): Line => {
    const spread = spreads[key];
    return spread === undefined ? { key, values } : buildSpreadLine(key, spread, proteins);
  });
  return { tracks, charts: groupLines(lines) };
}

/** `12: 4 of 6 rows`. */
function describeColumn(proteins: readonly ProteinReading[], place: number): string {
  const filled = proteins.filter(({ residues }) => (residues[place] ?? '-') !== '-').length;
  return `${place + 1}: ${filled} of ${proteins.length} rows`;
}

/** The engine's outer limits are 1.5 times the interquartile range beyond the quartiles, where no row may be. */
function buildSpreadLine(
  key: string,
  spread: ColumnSpread,
  proteins: readonly ProteinReading[],
): Line {
  const { median, firstQuartile, thirdQuartile, bottomOutlier, topOutlier } = spread;
  const clip = (limits: Track): Track =>
    limits.map((limit, column) => {
      const rows = proteins.map(({ tracks }) => tracks[key]?.[column]);
      const values = rows.filter((value) => typeof value === 'number');
      if (limit === null || values.length === 0) return limit;
      return Math.min(Math.max(...values), Math.max(Math.min(...values), Number(limit)));
    });
  const bands = [
    [clip(bottomOutlier), clip(topOutlier)],
    [firstQuartile, thirdQuartile],
  ] as const;
  return { key, values: median, bands };
}

const ROW = 15;
interface RowsProps {
  readonly view: View;
  readonly alignment: PackedAlignment;
}

function AlignedRows({ view, alignment }: RowsProps) {
  const options = useMemo(
    () => (width: number) => buildRowOptions(view, alignment, width),
    [view, alignment],
  );
  return <Chart label={`${alignment.proteins.length} aligned rows`} options={options} />;
}

/** The residues as bars, so that gaps are visible when there is no space for letters. */
function buildRowOptions(
  view: View,
  { proteins }: PackedAlignment,
  width: number,
): Plot.PlotOptions {
  const { from, to } = view;
  const bars = proteins.flatMap(({ residues }, row) =>
    [...residues.slice(from, to).matchAll(/[^-]+/g)].map(({ 0: run, index }) => ({
      row,
      x1: from + index + 0.5,
      x2: from + index + run.length + 0.5,
    })),
  );
  return {
    height: proteins.length * ROW + 4,
    marginLeft: view.left,
    marginRight: RIGHT,
    marginTop: 2,
    marginBottom: 2,
    x: { ...buildChainAxis(view, width), axis: null },
    y: {
      type: 'band',
      domain: [...proteins.keys()],
      padding: 0,
      label: null,
      tickSize: 0,
      tickFormat: (row: number) => (proteins[row]?.name ?? '').slice(0, MAX_NAME),
    },
    marks: [Plot.barX(bars, { x1: 'x1', x2: 'x2', y: 'row', fill: 'var(--filled)' })],
  };
}

export function ShiftsView({ facts, result }: ResultProps<PackedChains>) {
  return (
    <section aria-labelledby="result">
      <h2 id="result">ShiftCrypt index along the chain</h2>
      <p>
        The index sums up the shifts of a residue in one number, mostly between 0 and 1.{' '}
        <strong>Low</strong> values indicate helix, <strong>high</strong> ones strand; coil is in
        between.
      </p>
      {result.chains.map((chain, place) => (
        <ChainView key={place} facts={facts} result={chain} />
      ))}
    </section>
  );
}

function ChainView({ facts, result }: ResultProps<PackedChains['chains'][number]>) {
  const { name, chain, residues, numbers, shiftCrypt } = result;
  const missing = shiftCrypt.filter((value) => value === null).length;
  const tracks = useMemo(() => ({ shiftCrypt }), [shiftCrypt]);
  const lines = useMemo(() => [{ key: 'shiftCrypt', values: shiftCrypt }], [shiftCrypt]);
  const numberText = (place: number): string => String(numbers[place] ?? place + 1);
  return (
    <>
      <p class="protein">
        <strong>{name}</strong>
        {chain !== null && chain !== '' && `, chain ${chain}`}, {shiftCrypt.length} residues.{' '}
        {missing === 0
          ? 'Every residue has a value.'
          : `${missing} have none (−10): too many of their shifts are missing. They are gaps in the line, with a grey mark.`}
        <DatabaseLinks name={name} />
      </p>
      {shiftCrypt.length > 0 && (
        <Chain
          length={shiftCrypt.length}
          unit="Residue"
          facts={facts}
          tracks={tracks}
          placeText={(place) => `${numberText(place)} ${residues[place] ?? ''}`.trim()}
          numberText={numberText}
        >
          {(view) => <TrackChart view={view} lines={lines} residues={residues} />}
        </Chain>
      )}
    </>
  );
}
