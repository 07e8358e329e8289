/** `gff`: regions above the predictors' thresholds, as GFF3 (Sequence Ontology, GFF3 specification 1.26). */
import type { Added, Exporter, ExportFormat, Piece } from './format.ts';
import { OF_PROTEINS, withProteins, type NamedProteins } from './proteins.ts';
import { chainLength, regionsOf, type Region } from './regions.ts';

const FILE = 'regions.gff3';

export const gff: ExportFormat = {
  name: 'gff',
  ...OF_PROTEINS,
  content: "regions above the predictors' thresholds, GFF3",
  loadedBy: 'GFF3 readers (gffutils, GenomeTools, JBrowse)',
  structure: 'none',
  start: (): Exporter => {
    let isFirst = true;
    return {
      add: withProteins((_, proteins) => {
        const head = isFirst ? [{ file: FILE, text: '##gff-version 3\n', goesOn: true }] : [];
        const added = addRegions(proteins, head);
        if ('pieces' in added) isFirst = false;
        return added;
      }),
      end: () => [],
    };
  },
};

function addRegions(proteins: NamedProteins, head: readonly Piece[]): Added {
  const lines = proteins.flatMap(({ name, protein }) => {
    const seqid = escaped(name, /[^A-Za-z0-9.:^*$@!+_?|-]/g);
    const regions = regionsOf(protein);
    const length = chainLength(protein);
    return [
      ...(length === 0 ? [] : [`##sequence-region ${seqid} 1 ${length}`]),
      ...regions.map((region, index) => line(seqid, region, index + 1)),
    ];
  });
  return {
    pieces: [...head, { file: FILE, text: lines.map((one) => `${one}\n`).join(''), goesOn: true }],
  };
}

function line(seqid: string, region: Region, number: number): string {
  const { program, term, start, end, score, label, track, bound } = region;
  const attributes = [
    ['ID', `${seqid}.${number}`],
    ['Name', label],
    ['Note', `${track} ${bound}`],
  ].map(([name = '', value = '']) => `${name}=${escaped(value, /[\t\n\r%;=&,]/g)}`);
  return [seqid, program, term, start, end, score.toFixed(4), '.', '.', attributes.join(';')].join(
    '\t',
  );
}

/** GFF3 uses URL escapes. */
function escaped(text: string, letters: RegExp): string {
  return text.replace(letters, (letter) =>
    [...Buffer.from(letter)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
