/** The rows of an alignment, a letter each where there is room, else a bar where there is a residue. */
import { LEFT, RIGHT } from './track-chart.tsx';
import type { PackedProtein } from '../data.ts';

export interface AlignedRowsProps {
  readonly proteins: readonly PackedProtein[];
  readonly columns: number;
  readonly width: number;
  readonly chosen: number;
}

const ROW = 14;
/** Names of more rows would push the plots away. */
const FEW = 24;
/** Below that letters would run into each other, in CSS pixels. */
const LEAST = 7;

export function AlignedRows({ proteins, columns, width, chosen }: AlignedRowsProps) {
  const step = (width - LEFT - RIGHT) / columns;
  return (
    <div class="track" data-track="rows">
      <h4>Rows</h4>
      <div class="rows" tabIndex={0} role="region" aria-label="Rows of the alignment">
        <svg
          width={width}
          height={proteins.length * ROW}
          role="img"
          aria-label={`${proteins.length} aligned rows`}
        >
          {proteins.map(({ name, residues }, place) => (
            <g
              key={place}
              class={place === chosen ? 'chosen' : ''}
              transform={`translate(0 ${place * ROW})`}
            >
              <title>{name}</title>
              <text x={LEFT - 6} y={11} text-anchor="end" class="number">
                {place + 1}
              </text>
              {step < LEAST ? (
                <Bars residues={residues} step={step} />
              ) : (
                [...residues].map((letter, column) => (
                  <text key={column} x={LEFT + (column + 0.5) * step} y={11} text-anchor="middle">
                    {letter}
                  </text>
                ))
              )}
            </g>
          ))}
        </svg>
      </div>
      <details class="fold" open={proteins.length <= FEW}>
        <summary>Names of the rows</summary>
        <ol class="names">
          {proteins.map(({ name }, place) => (
            <li key={place}>{name}</li>
          ))}
        </ol>
      </details>
    </div>
  );
}

function Bars({ residues, step }: { readonly residues: string; readonly step: number }) {
  const runs = [...residues.matchAll(/[^-]+/g)];
  return (
    <>
      {runs.map((run) => (
        <rect
          key={run.index}
          x={LEFT + run.index * step}
          y={3}
          width={run[0].length * step}
          height={ROW - 5}
        />
      ))}
    </>
  );
}
