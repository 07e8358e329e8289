/** The kind `molecule`: a SMILES, or a file with coordinates, that becomes force-field files. */
import {
  readComposition,
  findLargestPart,
  MOLECULE_EXTENSIONS,
  readSmilesInput,
  readStructureInput,
  readStructureText,
} from './input.ts';
import { withAnswerCheck, findEngine, isSynthetic } from '../provenance.ts';
import { toObject, readResultJson } from '../json.ts';
import { MOLECULE_MEASURES, MOLECULE_SERIES, MOLECULES_TABLE, readMolecule } from './result.ts';
import { type MoleculeReading, packMolecule } from './reading.ts';
import { defineKind, type InnerFile, type JobFacts } from '../kind.ts';
import { MOLECULE_OPTIONS, type MoleculeOptions } from '../vocabulary.ts';
import { checkMolecule } from './check.ts';
import { writeMolfile } from './formats.ts';
import { readNativeFiles, listPresentFiles } from './files.ts';

export const molecule = defineKind({
  name: 'molecule',
  words: { one: 'molecule', many: 'molecules' },
  folder: 'molecules',
  input: {
    column: {
      name: 'smiles',
      synonyms: ['smi', 'structure', 'canonical_smiles', 'isomeric_smiles'],
    },
    extensions: MOLECULE_EXTENSIONS,
    records: { '.smi': 'lines', '.smiles': 'lines', '.sdf': 'sdf', '.sd': 'sdf' },
    isByExtension: true,
    repair: findLargestPart,
    read({ column, text, extension }, options) {
      if (column === 'smiles') return readSmilesInput(text, options);
      const known = MOLECULE_EXTENSIONS.find((one) => one === extension);
      if (known === undefined) throw new RangeError(`no molecule: ${extension}`);
      return readStructureInput(text, known, options);
    },
  },
  options: MOLECULE_OPTIONS,
  share: null,
  artefacts: {
    record: {
      file: 'record.json',
      presence: 'required',
      when: 'ended',
      check: withAnswerCheck(
        'record',
        async (bytes, { options, input, mayBeSynthetic }: JobFacts<MoleculeOptions>) =>
          checkMolecule(
            bytes,
            options,
            input === null ? null : await readComposition(input),
            mayBeSynthetic,
          ),
      ),
      describe(text, inner) {
        if (isSynthetic(text)) return { engine: 'synthetic' };
        return { engine: findEngine(inner.find(({ name }) => name === LOG)?.text ?? '') };
      },
    },
  },
  unfold: (_, bytes, options) => listInnerFiles(bytes, options),
  unfoldFailed: (_, bytes) => listInnerFiles(bytes, null),
  reads: ['_GMX.itp', '_NEW.pdb', '_AC.frcmod'],
  readResult({ get }) {
    const [itp, pdb, frcmod] = [get('_GMX.itp'), get('_NEW.pdb'), get('_AC.frcmod')];
    return itp && pdb && frcmod ? readMolecule({ itp, pdb, frcmod }) : null;
  },
  measures: MOLECULE_MEASURES,
  series: MOLECULE_SERIES,
  table: MOLECULES_TABLE,
  measuresTable: null,
  summary: summarise,
  pack: packMolecule,
  formula: {
    ofInput: readStructureText,
    ofResult: (result) => ({
      molfile: writeMolfile('', result, result.bonding),
      hasBondOrders: result.bonding !== null,
      netCharge: result.charge,
    }),
  },
  examples: [{ text: 'CCO' }],
  // acpype 2023.10.27. AM1-BCC: 90 % within 15 s, at most 48 s; Gasteiger charges take half as long.
  estimate: { seconds: 2.6, bytes: 120_000 },
});

const LOG = 'job.log';

/**
 * The texts of a record as files, and its log, which says why files are missing; of a record that is not complete what
 * there is.
 * @param options null for a failed job
 */
function listInnerFiles(bytes: Uint8Array, options: MoleculeOptions | null): readonly InnerFile[] {
  const read = readResultJson(bytes);
  if (!read.ok) return [];
  const native = options && readNativeFiles(read.json, options);
  const sets = native?.ok
    ? [native.files, ...native.otherSets]
    : [listPresentFiles(read.json, options)];
  const files = sets.flatMap((set, n) =>
    set.map(({ fileName, text }) => ({
      name: fileName,
      text,
      ...(n > 0 && { set: n + 1 }),
      ...(options === null && { isRejected: true as const }),
    })),
  );
  const log = toObject(read.json)?.['log'];
  return typeof log === 'string' ? [...files, { name: LOG, text: log }] : files;
}

function summarise({ formula, atoms, charge, estimated }: MoleculeReading): string {
  const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
  const flags = revise === 0 ? '' : `, ${revise} ATTN`;
  return `${formula}, ${atoms.length} atoms, charge ${chargeText(charge)}${flags}`;
}

/** `0`, `−1`, `+0.02` if the topology does not add up to an integer. */
function chargeText(charge: number): string {
  const rounded = Math.round(charge * 1000) / 1000;
  if (rounded === 0) return '0';
  return rounded < 0 ? `−${-rounded}` : `+${rounded}`;
}
