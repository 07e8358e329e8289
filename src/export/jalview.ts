/** `jalview`: sequences and annotation tracks (Jalview manual, "Alignment Annotations File"). */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';
import { OF_PROTEINS, withProteins, type NamedProtein, type NamedProteins } from './proteins.ts';
import { THRESHOLDS, ungapped, withoutGaps } from './regions.ts';
import { noTrack } from './pdb.ts';

export const jalview: ExportFormat = {
  name: 'jalview',
  ...OF_PROTEINS,
  content: 'FASTA and an annotation file of each item: one line graph per predictor and sequence',
  loadedBy: 'Jalview',
  structure: 'none',
  start: ({ predictor }): Exporter => ({
    add: withProteins((item, proteins) => addTracks(item, proteins, predictor)),
    end: () => [],
  }),
};

const LINE = 60;

function addTracks(item: ExportItem, proteins: NamedProteins, predictor: string): Added {
  const [first] = proteins;
  if (proteins.some(({ protein }) => protein.residues === '')) {
    return leftOut('RESULT_UNREADABLE', { lack: 'no residues' });
  }
  // For an alignment, nine graphs per row would be too many.
  const isAlignment = item.reading?.kind === 'alignment';
  const tracks = isAlignment ? [predictor] : Object.keys(first.protein.tracks);
  if (first.protein.tracks[tracks[0] ?? ''] === undefined)
    return { leftOut: noTrack(item, predictor) };
  const fasta = proteins.map(({ name, protein }) => {
    const lines = protein.residues.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
    return `>${name}\n${lines.join('\n')}\n`;
  });
  const rows = proteins.flatMap((one) => rowsOf(one, tracks));
  const text = ['JALVIEW_ANNOTATION', ...rows, ''].join('\n');
  return {
    pieces: [
      { file: `${item.id}.fasta`, text: fasta.join('') },
      { file: `${item.id}.annotations`, text },
    ],
  };
}

/** A graph's values belong to the residues of the sequence named before it. */
function rowsOf({ name, protein }: NamedProtein, tracks: readonly string[]): string[] {
  const residues = ungapped(protein.residues);
  return tracks.flatMap((track) => {
    const values = withoutGaps(protein.tracks[track] ?? [], protein.residues);
    if (!values.some((value) => typeof value === 'number')) return [];
    const cells = values.map((value, index) =>
      typeof value === 'number' ? `${value},${residues[index] ?? ''}` : '',
    );
    return [
      `SEQUENCE_REF\t${name}`,
      `LINE_GRAPH\t${track}\t${track} of ${name}\t${cells.join('|')}`,
      ...THRESHOLDS.filter((one) => one.track === track).map(
        ({ value, label }) => `GRAPHLINE\t${track}\t${value}\t${label}\tblack`,
      ),
    ];
  });
}
