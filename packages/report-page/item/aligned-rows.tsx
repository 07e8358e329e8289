/** The rows of an alignment with their names, below the conservation of the columns. */
import { useMemo } from 'preact/hooks';
import { conservation } from '../../../src/kinds/protein/measures.ts';
import type { PackedProtein } from '../../../src/kinds/page-data.ts';
import { SavedPicture } from '../take/saved-picture.tsx';
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

export function AlignedRows({ proteins, columns, view, chosen }: AlignedRowsProps) {
  const conserved = useMemo(() => {
    const rows = proteins.map(({ residues }) => residues);
    return conservation(rows, columns);
  }, [proteins, columns]);
  return (
    <div class="track" data-track="rows">
      <SavedPicture name="Rows of the alignment">
        {conserved !== null && <Conservation conserved={conserved} view={view} />}
        <div class="rows" tabIndex={0} role="region" aria-label="Rows of the alignment">
          <svg
            class="aligned"
            width={view.width}
            height={proteins.length * ROW}
            role="img"
            aria-label={`${proteins.length} aligned rows`}
          >
            <path class="filled" d={cellsOf(proteins, view)} />
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
    </div>
  );
}

interface ConservationProps {
  readonly conserved: readonly number[];
  readonly view: View;
}

function Conservation({ conserved, view }: ConservationProps) {
  return (
    <svg
      class="aligned"
      width={view.width}
      height={CONSERVATION + 4}
      role="img"
      aria-label="Conservation"
    >
      <text class="name" x={view.left - 8} y={CONSERVATION - 6}>
        conservation
      </text>
      <path class="conserved" d={barsOf(conserved, view)} />
    </svg>
  );
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

/** All residues, so that gaps are visible when there is no space for letters. */
function cellsOf(proteins: readonly PackedProtein[], view: View): string {
  const width = (stepOf(view) + 0.3).toFixed(1);
  return proteins
    .map(({ residues }, row) =>
      Array.from(residues.slice(view.from, view.to), (residue, place) =>
        residue === '-'
          ? ''
          : `M${edgeOf(view, view.from + place).toFixed(1)} ${row * ROW}h${width}v${ROW}h-${width}z`,
      ).join(''),
    )
    .join('');
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
