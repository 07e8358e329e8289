/** `smi`: one line per molecule, `SMILES id`, for the molecules that were given as SMILES. */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';

export const smi: ExportFormat = {
  name: 'smi',
  kinds: ['molecule'],
  content: 'one file with one line per molecule: the SMILES of the manifest and the id',
  loadedBy: 'RDKit, Open Babel',
  files: [],
  takes: ['input'],
  structure: 'none',
  start: (): Exporter => ({ add: addLine, end: () => [] }),
};

function addLine(item: ExportItem): Added {
  const smiles = inputSmiles(item);
  if (smiles === null) {
    return leftOut('NO_SMILES', { file: item.record.input.name });
  }
  return { pieces: [{ file: 'molecules.smi', text: `${smiles} ${item.id}\n`, goesOn: true }] };
}

/** As the user wrote it; null if the molecule was given as a file with coordinates. */
export function inputSmiles({ record, input }: ExportItem): string | null {
  const smiles = record.input.name === 'input.smi' ? (input ?? '').trim() : '';
  return smiles === '' ? null : smiles;
}
