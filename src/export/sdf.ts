/** `sdf`: one SD file (BIOVIA, CTfile formats) with ACPYPE's geometry and partial charges. */
import { writeMolfile } from '../kinds/molecule/molfile.ts';
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';

export const sdf: ExportFormat = {
  name: 'sdf',
  kinds: ['molecule'],
  content: 'one SD file: 3D coordinates, the columns of the manifest, atom.dprop.PartialCharge',
  loadedBy: 'RDKit, OpenFF, docking programs',
  files: [],
  takes: ['bonds'],
  structure: 'none',
  start: (): Exporter => ({ add: addMolecule, end: () => [] }),
};

function addMolecule({ id, molecule, record }: ExportItem): Added {
  if (molecule === null) return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const { reading, smiles } = molecule;
  const charges = reading.atoms.map(({ charge }) => charge.toFixed(6));
  const properties: [string, string][] = [
    ['atom.dprop.PartialCharge', charges.join(' ')],
    ['net_charge', String(molecule.netCharge)],
    ['formula', reading.formula],
    ...(smiles === null ? [] : [['smiles', smiles] as [string, string]]),
    ...Object.entries(record.user),
  ];
  const text = [
    writeMolfile(id, reading, molecule),
    ...properties.flatMap(property),
    '$$$$',
    '',
  ].join('\n');
  return { pieces: [{ file: 'molecules.sdf', text, goesOn: true }] };
}

/** A data item ends at an empty line, and its name must not contain angle brackets. */
function property([name, value]: readonly [string, string]): string[] {
  const lines = value.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  return [`>  <${name.replace(/[<>\r\n]/g, '_')}>`, ...lines, ''];
}

/** `smi`: one line per molecule, `SMILES id`: the user's own, or RDKit's of the bonds that the other formats have. */
export const smi: ExportFormat = {
  name: 'smi',
  kinds: ['molecule'],
  content: 'one file with one line per molecule: the SMILES and the id',
  loadedBy: 'RDKit, Open Babel',
  files: [],
  takes: ['bonds'],
  structure: 'none',
  start: (): Exporter => ({ add: addLine, end: () => [] }),
};

function addLine({ id, molecule }: ExportItem): Added {
  if (molecule === null) return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const { smiles } = molecule;
  if (smiles === null) return leftOut('NO_SMILES', {});
  return { pieces: [{ file: 'molecules.smi', text: `${smiles} ${id}\n`, goesOn: true }] };
}
