/** Formats of predictions along chains: `gff` (regions above the thresholds) and `jalview` (annotation tracks). */
import {
  DISORDER_ABOVE,
  EARLY_FOLDING_ABOVE,
  MEMBRANE_ABOVE,
  PHASE_SEPARATION_FROM,
  type ProteinReading,
  RIGID_FROM,
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

interface NamedProtein {
  /** From characters that every format accepts: the id of the item, and of the record if there are several. */
  readonly name: string;
  readonly protein: ProteinReading;
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
  if (proteins.length === 1) return proteins.map((protein) => ({ name: id, protein }));
  const taken = new Set<string>();
  return proteins.map((protein) => {
    const full = `${id}:${protein.name.replace(/[^A-Za-z0-9._-]+/g, '_')}`;
    let name = full;
    for (let number = 2; taken.has(name); number += 1) name = `${full}_${number}`;
    taken.add(name);
    return { name, protein };
  });
}

export function createMissingTrack(track: string, [first]: readonly NamedProtein[]): LeftOut {
  const known = Object.keys(first?.protein.tracks ?? {}).join(', ');
  return new LeftOut('NO_TRACK', `its result has no ${track}; it has ${known}`);
}

/** The values of the residues: a row of an alignment has a value for each column. */
export function removeGapValues<T>(values: readonly T[], residues: string): readonly T[] {
  return residues.includes('-') ? values.filter((_, index) => residues[index] !== '-') : values;
}

export function removeGaps(residues: string): string {
  return residues.replaceAll('-', '');
}

/** A rule for the regions of a track; those without a term are `polypeptide_region`. */
interface Rule {
  readonly track: string;
  readonly label: string;
  /** Term of the Sequence Ontology. */
  readonly term?: string;
  /** The program that predicted the track. */
  readonly program: string;
  /** One of them: whether a value equal to the threshold belongs to the region. */
  readonly above?: number;
  readonly from?: number;
}

const DISORDERED = 'intrinsically_unstructured_polypeptide_region';

/** kinds/protein/reading.ts has the thresholds. Where a track has two, the first is the one that Jalview shows. */
const RULES: readonly Rule[] = [
  { track: 'backbone', label: 'rigid backbone', program: 'DynaMine', from: RIGID_FROM },
  { track: 'backbone', label: 'membrane-spanning', program: 'DynaMine', above: MEMBRANE_ABOVE },
  {
    track: 'earlyFolding',
    label: 'early folding',
    program: 'EFoldMine',
    above: EARLY_FOLDING_ABOVE,
  },
  {
    track: 'disoMine',
    label: 'disordered',
    term: DISORDERED,
    program: 'DisoMine',
    above: DISORDER_ABOVE,
  },
];
/** Of a whole protein. */
const PHASE_SEPARATION: Rule = {
  track: 'protein_score',
  label: 'phase separation',
  program: 'PSPer',
  from: PHASE_SEPARATION_FROM,
};

interface Region extends Rule {
  /** Residues, counted from 1 without gaps; both are inclusive. */
  readonly start: number;
  readonly end: number;
  /** Mean of the values; for a whole protein its score. */
  readonly score: number;
}

function isIn({ above = Infinity, from = Infinity }: Rule, value: unknown): boolean {
  return typeof value === 'number' && (value > above || value >= from);
}

/** Regions of a chain in which a predictor is above its threshold: by rule, and then along the chain. */
function findRegions(protein: ProteinReading): readonly Region[] {
  const regions = RULES.flatMap((rule) => {
    const track = protein.tracks[rule.track];
    return track === undefined ? [] : findRuns(rule, removeGapValues(track, protein.residues));
  });
  const score = protein.scores[PHASE_SEPARATION.track];
  const end = countResidues(protein);
  if (score === undefined || !isIn(PHASE_SEPARATION, score) || end === 0) return regions;
  return [...regions, { ...PHASE_SEPARATION, start: 1, end, score }];
}

function findRuns(rule: Rule, values: readonly (number | string | null)[]): Region[] {
  const regions: Region[] = [];
  let start = 0;
  for (const [index, value] of [...values, null].entries()) {
    if (isIn(rule, value)) continue;
    const inside = values.slice(start, index).map(Number);
    const score = inside.reduce((sum, one) => sum + one, 0) / inside.length;
    if (inside.length > 0) regions.push({ ...rule, start: start + 1, end: index, score });
    start = index + 1;
  }
  return regions;
}

/** Length of the chain without gaps, in residues. */
function countResidues({ residues, tracks }: ProteinReading): number {
  return residues === '' ? (Object.values(tracks)[0]?.length ?? 0) : removeGaps(residues).length;
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

function formatGff({ name, protein }: NamedProtein): string[] {
  const seqid = escapeGff(name, /[^A-Za-z0-9.:^*$@!+_?|-]/g);
  const length = countResidues(protein);
  return [
    ...(length === 0 ? [] : [`##sequence-region ${seqid} 1 ${length}`]),
    ...findRegions(protein).map((region, index) => {
      const { program, term = 'polypeptide_region', start, end, score, label, track } = region;
      const bound = region.from === undefined ? `> ${region.above}` : `>= ${region.from}`;
      const attributes = [
        ['ID', `${seqid}.${index + 1}`],
        ['Name', label],
        ['Note', `${track} ${bound}`],
      ].map(([key = '', value = '']) => `${key}=${escapeGff(value, /[\t\n\r%;=&,]/g)}`);
      const columns = [seqid, program, term, start, end, score.toFixed(4), '.', '.'];
      return [...columns, attributes.join(';')].join('\t');
    }),
  ];
}

/** GFF3 uses URL escapes. */
function escapeGff(text: string, letters: RegExp): string {
  const hex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return text.replace(letters, (letter) => [...Buffer.from(letter)].map(hex).join(''));
}

/** Sequences and annotation tracks (Jalview manual, "Alignment Annotations File"). */
export const jalview: ExportFormat = {
  name: 'jalview',
  kinds: ['sequence', 'alignment'],
  content: 'FASTA and an annotation file of each item: one line graph per predictor and sequence',
  loadedBy: 'Jalview',
  next: (id) => formatCodeBlock('sh', [`jalview -open ${id}.fasta -annotations ${id}.annotations`]),
  start: ({ predictor }) => ({ add: (item) => addTracks(item, predictor) }),
};

const FASTA_LINE = /.{1,60}/g;

function addTracks(item: ExportItem, predictor: string): Added {
  const proteins = nameProteins(item);
  if (proteins.some(({ protein }) => protein.residues === ''))
    throw new LeftOut('RESULT_UNREADABLE', 'its result does not show the residues');
  // For an alignment, nine graphs per row would be too many.
  const isAlignment = item.reading?.kind === 'alignment';
  const own = Object.keys(proteins[0]?.protein.tracks ?? {});
  const tracks = own.filter((track) => !isAlignment || track === predictor);
  if (tracks.length === 0) throw createMissingTrack(predictor, proteins);
  const fasta = proteins.map(({ name, protein }) => {
    const lines = protein.residues.match(FASTA_LINE) ?? [];
    return `>${name}\n${lines.join('\n')}\n`;
  });
  const mark = markSynthetic(item, '#');
  const rows = proteins.flatMap((one) => drawGraphs(one, tracks));
  const text = ['JALVIEW_ANNOTATION', ...mark, ...rows, ''].join('\n');
  return {
    files: [
      { file: `${item.id}.fasta`, text: fasta.join('') },
      { file: `${item.id}.annotations`, text },
    ],
  };
}

/** A graph's values belong to the residues of the sequence named before it. */
function drawGraphs({ name, protein }: NamedProtein, tracks: readonly string[]): string[] {
  const residues = removeGaps(protein.residues);
  return tracks.flatMap((track) => {
    const values = removeGapValues(protein.tracks[track] ?? [], protein.residues);
    if (!values.some((value) => typeof value === 'number')) return [];
    const cells = values.map((value, index) =>
      typeof value === 'number' ? `${value},${residues[index] ?? ''}` : '',
    );
    // Jalview draws one line in a graph.
    const rule = RULES.find((one) => one.track === track);
    const { label, above, from = above } = rule ?? {};
    return [
      `SEQUENCE_REF\t${name}`,
      `LINE_GRAPH\t${track}\t${track} of ${name}\t${cells.join('|')}`,
      ...(rule === undefined ? [] : [`GRAPHLINE\t${track}\t${from}\t${label}\tblack`]),
    ];
  });
}
