/** `pdb`: the user's structure, with a predictor's values as B factors. */
import { type Added, type Exporter, type ExportFormat, type ExportItem } from './format.ts';
import { colourStructure, type ColouredStructure } from './structure/coloured-structure.ts';
import { isAtom, residueKey } from './structure/pdb-file.ts';

export const pdb: ExportFormat = {
  name: 'pdb',
  kinds: ['sequence', 'alignment'],
  content: "your structure file (column structure) with a predictor's values as B factors",
  loadedBy: 'Biopython, PyMOL, ChimeraX, VMD',
  files: [],
  takes: ['reading'],
  structure: 'needed',
  start: ({ predictor }): Exporter => ({
    add: (item) => addStructure(item, predictor),
    end: () => [],
  }),
};

/** B factor of atoms without a value. */
const NO_VALUE = -1;

function addStructure(item: ExportItem, track: string): Added {
  const structure = colourStructure(item, track);
  if ('code' in structure) return { leftOut: structure };
  const text = withValues(item.structure?.text ?? '', structure, track);
  return { pieces: [{ file: `${item.id}.pdb`, text }], notes: structure.notes };
}

function withValues(text: string, { residues }: ColouredStructure, track: string): string {
  const values = new Map(
    residues.map(({ chain, number, insertion, value }) => [
      `${chain}${String(number).padStart(4)}${insertion.padEnd(1)}`,
      value,
    ]),
  );
  const remark = `REMARK 999 B FACTORS ARE ${track} OF HUNDREDFOLD; ${NO_VALUE}.00 WHERE THERE IS NONE`;
  const lines = text.split(/\r?\n/).flatMap((line) => {
    // The old displacements would contradict the new column.
    if (line.startsWith('ANISOU')) return [];
    if (!isAtom(line)) return [line];
    const value = (values.get(residueKey(line)) ?? NO_VALUE).toFixed(2).padStart(6);
    return [`${line.padEnd(66).slice(0, 60)}${value}${line.slice(66)}`.trimEnd()];
  });
  const head = lines.findIndex((line) => isAtom(line) || line.startsWith('MODEL'));
  lines.splice(Math.max(0, head), 0, remark);
  return lines.join('\n');
}
