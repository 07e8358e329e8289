/** The rows of an alignment with their names, in ClustalX's colours, below consensus and conservation. */
import { useMemo } from 'preact/hooks';
import { conservation } from '../../results/measures/alignment.ts';
import type { PackedProtein } from '../data.ts';
import { SavedPicture } from '../take/saved-picture.tsx';
import { columnColours, consensusOf, COLOURS, type Colour } from './clustal.ts';
import { edgeOf, LEAST_FOR_LETTERS, stepOf, type View } from './view.ts';

interface AlignedRowsProps {
  readonly proteins: readonly PackedProtein[];
  readonly columns: number;
  readonly view: View;
  readonly chosen: number;
}

const ROW = 15;
const CONSERVATION = 28;
/** Estimated letter width in CSS pixels, to fit names into the margin. */
const LETTER = 6.6;

interface Columns {
  readonly colours: readonly ReadonlyMap<string, Colour>[];
  readonly consensus: string;
  /** Null if the payload does not contain the residues. */
  readonly conserved: readonly number[] | null;
}

export function AlignedRows({ proteins, columns, view, chosen }: AlignedRowsProps) {
  const known = useMemo(() => columnsOf(proteins, columns), [proteins, columns]);
  return (
    <div class="track" data-track="rows">
      <SavedPicture name="Rows of the alignment">
        <Summary known={known} view={view} />
        <div class="rows" tabIndex={0} role="region" aria-label="Rows of the alignment">
          <svg
            class="aligned"
            width={view.width}
            height={proteins.length * ROW}
            role="img"
            aria-label={`${proteins.length} aligned rows`}
          >
            <Cells proteins={proteins} view={view} colours={known.colours} />
            {proteins.map(({ name, residues }, place) => (
              <g
                key={place}
                class={place === chosen ? 'chosen' : ''}
                transform={`translate(0 ${place * ROW})`}
              >
                <text class="name" x={view.left - 8} y={12}>
                  <title>{name}</title>
                  {shortened(name, view.left)}
                </text>
                <Letters text={residues} view={view} y={12} />
              </g>
            ))}
          </svg>
        </div>
      </SavedPicture>
      <p class="key" style={{ paddingLeft: `${view.left}px` }}>
        {COLOURS.map((colour) => (
          <span key={colour} class="entry">
            <span class={`swatch clustal-${colour}`} />
            {colour}
          </span>
        ))}
      </p>
    </div>
  );
}

function Summary({ known, view }: { readonly known: Columns; readonly view: View }) {
  return (
    <svg
      class="aligned"
      width={view.width}
      height={CONSERVATION + ROW + 4}
      role="img"
      aria-label="Consensus and conservation"
    >
      <text class="name" x={view.left - 8} y={CONSERVATION - 6}>
        conservation
      </text>
      <text class="name" x={view.left - 8} y={CONSERVATION + 12}>
        consensus
      </text>
      {known.conserved !== null && <path class="conserved" d={barsOf(known.conserved, view)} />}
      <Letters text={known.consensus} view={view} y={CONSERVATION + 12} />
    </svg>
  );
}

function columnsOf(proteins: readonly PackedProtein[], columns: number): Columns {
  const all = Array.from({ length: columns }, (_, column) =>
    proteins.map(({ residues }) => residues[column] ?? '-'),
  );
  return {
    colours: all.map(columnColours),
    consensus: all.map(consensusOf).join(''),
    conserved: conservation(
      proteins.map(({ residues }) => residues),
      columns,
    ),
  };
}

/** One text per row, with the position of each letter: thousands of elements would be slow. */
function Letters({
  text,
  view,
  y,
}: {
  readonly text: string;
  readonly view: View;
  readonly y: number;
}) {
  if (stepOf(view) < LEAST_FOR_LETTERS) return null;
  const letters = text.slice(view.from, view.to);
  const places = Array.from(letters, (_, place) =>
    edgeOf(view, view.from + place + 0.5).toFixed(1),
  );
  return (
    <text class="residues" x={places.join(' ')} y={y}>
      {letters}
    </text>
  );
}

interface CellsProps extends Pick<AlignedRowsProps, 'proteins' | 'view'> {
  readonly colours: Columns['colours'];
}

/** One path per colour; residues without one are grey, so that gaps are visible when there is no space for letters. */
function Cells({ proteins, view, colours }: CellsProps) {
  const paths = new Map<string, string[]>();
  const step = stepOf(view);
  const width = (step + 0.3).toFixed(1);
  for (const [row, { residues }] of proteins.entries()) {
    for (let column = view.from; column < view.to; column += 1) {
      const residue = residues[column] ?? '-';
      if (residue === '-') continue;
      const colour = colours[column]?.get(residue) ?? 'none';
      const path = paths.get(colour) ?? [];
      paths.set(colour, path);
      path.push(`M${edgeOf(view, column).toFixed(1)} ${row * ROW}h${width}v${ROW}h-${width}z`);
    }
  }
  return (
    <>
      {[...paths].map(([colour, path]) => (
        <path key={colour} class={`clustal-${colour}`} d={path.join('')} />
      ))}
    </>
  );
}

function barsOf(conserved: readonly number[], view: View): string {
  const width = Math.max(0.8, stepOf(view) - 0.6).toFixed(1);
  return conserved
    .slice(view.from, view.to)
    .map((value, place) => {
      const height = (value * (CONSERVATION - 4)).toFixed(1);
      return `M${edgeOf(view, view.from + place).toFixed(1)} ${CONSERVATION}v-${height}h${width}v${height}z`;
    })
    .join('');
}

/** The title has the full name. */
function shortened(name: string, room: number): string {
  const most = Math.max(4, Math.floor((room - 12) / LETTER));
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
