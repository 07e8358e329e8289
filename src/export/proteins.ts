/** Formats of predictions along chains: `gff` (regions above the thresholds) and `jalview` (annotation tracks). */
import {
  countResidues,
  findRegions,
  listStrongBands,
  type ProteinReading,
  type Track,
  TRACK_FACTS,
} from '../kinds/protein/reading.ts';
import {
  type Added,
  formatCodeBlock,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  markSynthetic,
  writeOneFile,
} from './format.ts';

/** A chain without gaps. */
export interface NamedProtein extends ProteinReading {
  /** From characters that every format accepts: the id of the item, and of the record if there are several. */
  readonly name: string;
  /** With the gaps of an alignment. */
  readonly aligned: string;
}

/**
 * The chains of a result; ids are unique in a campaign and contain no `:`, so the names are unique too.
 * @throws LeftOut if there is none
 */
export function nameProteins({ id, reading }: ExportItem): readonly NamedProtein[] {
  const proteins =
    reading?.kind === 'sequence' || reading?.kind === 'alignment' ? reading.proteins : [];
  if (proteins.length === 0)
    throw new LeftOut('RESULT_UNREADABLE', 'its result contains no protein');
  const taken = new Set<string>();
  return proteins.map((protein) => {
    const record = protein.name.replace(/[^A-Za-z0-9._-]+/g, '_');
    const full = proteins.length === 1 ? id : `${id}:${record}`;
    let name = full;
    for (let number = 2; taken.has(name); number += 1) name = `${full}_${number}`;
    taken.add(name);
    return { ...removeGaps(protein), name, aligned: protein.residues };
  });
}

/** A row of an alignment has a value for each column. */
function removeGaps({ residues, tracks, ...protein }: ProteinReading): ProteinReading {
  const keep = (values: Track): Track =>
    residues.includes('-') ? values.filter((_, index) => residues[index] !== '-') : values;
  const kept = Object.entries(tracks).map(([key, values]) => [key, keep(values)] as const);
  return { ...protein, residues: residues.replaceAll('-', ''), tracks: Object.fromEntries(kept) };
}

export function createMissingTrack(track: string, [first]: readonly NamedProtein[]): LeftOut {
  const known = Object.keys(first?.tracks ?? {}).join(', ');
  return new LeftOut('NO_TRACK', `its result has no ${track}; it has ${known}`);
}

const GFF = 'regions.gff3';

/** GFF3 (Sequence Ontology, GFF3 specification 1.26). */
export const gff: ExportFormat = {
  name: 'gff',
  kinds: ['sequence', 'alignment'],
  content: "regions above the predictors' thresholds, GFF3",
  loadedBy: 'GFF3 readers (gffutils, GenomeTools, JBrowse)',
  next: (id) =>
    formatCodeBlock('sh', [
      `gt gff3validator ${GFF}`,
      `grep -P "^${id}[:\\t]" ${GFF} | sort -k4,4n`,
    ]),
  start: () => writeOneFile(GFF, writeRegions, '##gff-version 3\n'),
};

function writeRegions(item: ExportItem): string {
  const lines = [...markSynthetic(item, `# ${item.id}`), ...nameProteins(item).flatMap(formatGff)];
  return lines.map((line) => `${line}\n`).join('');
}

/** Terms of the Sequence Ontology; other regions are `polypeptide_region`. */
const TERMS: Readonly<Record<string, string>> = {
  disoMine: 'intrinsically_unstructured_polypeptide_region',
};

function formatGff(protein: NamedProtein): string[] {
  const { name, tracks, scores } = protein;
  const length = countResidues(protein);
  if (length === 0) return [];
  const whole = Object.entries(scores).map(
    ([key, score]) => [key, Array<number>(length).fill(score)] as const,
  );
  // A score of the whole protein is one region.
  const regions = findRegions({ ...tracks, ...Object.fromEntries(whole) });
  const lines = regions.map(({ track, band, start, end, score }, index) => {
    const [program, term = 'polypeptide_region'] = [TRACK_FACTS[track]?.by, TERMS[track]];
    const note = `${track} ${band.isAbove ? 'above' : 'from'} ${band.from}`;
    const attributes = `ID=${name}.${index + 1};Name=${band.words};Note=${note}`;
    return [name, program, term, start, end, score.toFixed(4), '.', '.', attributes].join('\t');
  });
  return [`##sequence-region ${name} 1 ${length}`, ...lines];
}

/** Sequences and annotation tracks (Jalview manual, "Alignment Annotations File"). */
export const jalview: ExportFormat = {
  name: 'jalview',
  kinds: ['sequence', 'alignment'],
  content: 'FASTA and an annotation file of each item: one line graph per predictor and sequence',
  loadedBy: 'Jalview',
  next: (id) => formatCodeBlock('sh', [`jalview -open ${id}.fasta -annotations ${id}.annotations`]),
  start: (predictor) => ({ add: (item) => addTracks(item, predictor) }),
};

const FASTA_LINE = /.{1,60}/g;

function addTracks(item: ExportItem, predictor: string): Added {
  const proteins = nameProteins(item);
  if (proteins.some(({ residues }) => residues === ''))
    throw new LeftOut('RESULT_UNREADABLE', 'its result does not show the residues');
  // For an alignment, nine graphs per row would be too many.
  const isAlignment = item.reading?.kind === 'alignment';
  const own = Object.keys(proteins[0]?.tracks ?? {});
  const tracks = own.filter((track) => !isAlignment || track === predictor);
  if (tracks.length === 0) throw createMissingTrack(predictor, proteins);
  const fasta = proteins.map(({ name, aligned }) => {
    const lines = aligned.match(FASTA_LINE) ?? [];
    return `>${name}\n${lines.join('\n')}\n`;
  });
  const graphs = proteins.flatMap((protein) => drawGraphs(protein, tracks));
  const lines = ['JALVIEW_ANNOTATION', ...markSynthetic(item, '#'), ...graphs, ''];
  return {
    files: [
      { file: `${item.id}.fasta`, text: fasta.join('') },
      { file: `${item.id}.annotations`, text: lines.join('\n') },
    ],
  };
}

/** A graph's values belong to the residues of the sequence named before it. */
function drawGraphs(protein: NamedProtein, keys: readonly string[]): string[] {
  const { name, residues, tracks } = protein;
  return keys.flatMap((track) => {
    const values = tracks[track] ?? [];
    if (!values.some((value) => typeof value === 'number')) return [];
    const cells = values.map((value, index) =>
      typeof value === 'number' ? `${value},${residues[index] ?? ''}` : '',
    );
    // Jalview draws one line in a graph.
    const band = listStrongBands(track).at(-1);
    return [
      `SEQUENCE_REF\t${name}`,
      `LINE_GRAPH\t${track}\t${track} of ${name}\t${cells.join('|')}`,
      ...(band ? [`GRAPHLINE\t${track}\t${band.from}\t${band.words}\tblack`] : []),
    ];
  });
}
