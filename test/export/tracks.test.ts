/** Tracks for Jalview, in the format of its manual. */
import { expect, test } from 'vitest';
import { exportInMemory, recordedAlignments, sequenceItem } from './recorded.ts';

const item = sequenceItem('b2btools/edge/len_20-all5.json');
const protein = item.reading?.kind === 'sequence' ? item.reading.proteins[0] : undefined;

/** Jalview manual, "Alignment Annotations File": rows of cells between tabs, values between bars. */
function readAnnotations(text: string) {
  const [head, ...lines] = text.trimEnd().split('\n');
  expect(head).toBe('JALVIEW_ANNOTATION');
  let sequence = '';
  const graphs = new Map<string, (number | null)[]>();
  const bounds: string[] = [];
  for (const line of lines) {
    const [kind, label = '', third = '', fourth] = line.split('\t');
    if (kind === 'SEQUENCE_REF') sequence = label;
    else if (kind === 'LINE_GRAPH') {
      const cells = (fourth ?? '').split('|').map((cell) => {
        expect(cell).toMatch(/^(-?\d+(\.\d+)?(e-?\d+)?,[A-Z])?$/);
        return cell === '' ? null : Number(cell.split(',')[0]);
      });
      graphs.set(`${sequence} ${label}`, cells);
    } else if (kind === 'GRAPHLINE') bounds.push(`${label} ${third}`);
    else throw new Error(`no row of an annotation file: ${line}`);
  }
  return { graphs, bounds };
}

test('Jalview gets a graph of each predictor, with a value for each residue', () => {
  const { files } = exportInMemory('jalview', [item]);
  const { graphs, bounds } = readAnnotations(files.get(`${item.id}.annotations`) ?? '');
  expect(graphs.get(`${item.id} backbone`)).toEqual(protein?.tracks['backbone']);
  expect(bounds).toContain('disoMine 0.5');
  expect(files.get(`${item.id}.fasta`)).toBe(`>${item.id}\n${protein?.residues ?? ''}\n`);
});

test('the rows of an alignment have a graph each, of their residues without gaps', () => {
  const alignments = recordedAlignments();
  expect(alignments.length).toBeGreaterThan(2);
  const { files } = exportInMemory('jalview', alignments, { predictor: 'earlyFolding' });
  for (const { id, reading } of alignments) {
    if (reading?.kind !== 'alignment') throw new Error(id);
    const { graphs } = readAnnotations(files.get(`${id}.annotations`) ?? '');
    const fasta = (files.get(`${id}.fasta`) ?? '').split('>').slice(1);
    expect(fasta).toHaveLength(reading.proteins.length);
    expect(graphs.size).toBe(reading.proteins.length);
    for (const record of fasta) {
      const [name = '', ...lines] = record.trimEnd().split('\n');
      const row = lines.join('');
      expect(row).toHaveLength(reading.columns);
      expect(graphs.get(`${name} earlyFolding`)).toHaveLength(row.replaceAll('-', '').length);
    }
  }
});
