/** The kind `molecule`: a SMILES, or a file with coordinates, that becomes force-field files. */
import { ATOM_TYPES, CHARGE_METHODS } from '../../domain/item.ts';
import { MOLECULE_EXTENSIONS, readSmilesInput, readStructureInput } from './input.ts';
import { defineKind } from '../kind.ts';

export const molecule = defineKind({
  name: 'molecule',
  words: { one: 'molecule', many: 'molecules' },
  table: 'molecules',
  measuresTable: null,
  input: {
    column: {
      name: 'smiles',
      synonyms: ['smi', 'structure', 'canonical_smiles', 'isomeric_smiles'],
    },
    extensions: MOLECULE_EXTENSIONS,
    records: { '.smi': 'lines', '.smiles': 'lines', '.sdf': 'sdf', '.sd': 'sdf' },
    isByExtension: true,
    read({ column, text, extension }, options) {
      if (column === 'smiles') return readSmilesInput(text, options);
      const known = MOLECULE_EXTENSIONS.find((one) => one === extension);
      if (known === undefined) throw new RangeError(`no molecule: ${extension}`);
      return readStructureInput(text, known, options);
    },
  },
  options: {
    charge_method: {
      key: 'chargeMethod',
      type: 'choice',
      allowed: CHARGE_METHODS,
      default: 'bcc',
      // The examples of the service have it.
      misspelt: { bbc: { meant: 'bcc', problem: 'MANIFEST_CHARGE_METHOD_BBC' } },
      synonyms: ['charge_model'],
    },
    net_charge: {
      key: 'netCharge',
      type: 'integer',
      problem: 'MANIFEST_NET_CHARGE_INVALID',
      synonyms: ['charge', 'formal_charge', 'total_charge'],
    },
    atom_type: {
      key: 'atomType',
      type: 'choice',
      allowed: ATOM_TYPES,
      default: 'gaff2',
      synonyms: ['force_field', 'forcefield'],
    },
  },
  share: null,
  usualFiles: [],
  rareFiles: [],
  // acpype 2023.10.27. AM1-BCC: 90 % within 15 s, at most 48 s; Gasteiger charges take half as long.
  estimate: { seconds: 2.6, bytes: 120_000 },
});
