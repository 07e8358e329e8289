/**
 * The synthetic engine: payloads of the right form without meaning, for tests and benchmarks. Deterministic from the
 * input, and labelled in every payload, so that it cannot be taken for a real result.
 */
import { DEFAULT_PREDICTORS } from '../../domain/item.ts';
import { parseFasta, resultIds, type FastaRecord } from '../fasta.ts';
import { readChains } from '../star.ts';
import { predictorKeys } from './canonical.ts';
import {
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type MoleculeJob,
  type Output,
  type ShiftsJob,
  pace,
} from './engine.ts';
import { csvField } from './recorded.ts';

/** Part of every payload. */
const SYNTHETIC = 'SYNTHETIC: shape only, made without any computation; not a result';

export class SyntheticEngine implements Engine {
  readonly name = 'synthetic';
  readonly version = '1';
  readonly #jobMs: (job: EngineJob) => number;

  constructor(jobMs: (job: EngineJob) => number) {
    this.#jobMs = jobMs;
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await pace(this.#jobMs(job), context);
    return outcomeOf(job);
  }
}

function outcomeOf(job: EngineJob): EngineOutcome {
  const done = (...outputs: Output[]): EngineOutcome => ({ ok: true, outputs, log: SYNTHETIC });
  switch (job.kind) {
    case 'molecule':
      return done(json('result', syntheticMolecule(job)));
    case 'sequence': {
      const made = syntheticSequences(parseFasta(job.fasta).records, job.predictors);
      return done(
        json('result', made.result),
        csv('csv', made.csv),
        csv('metadata', made.metadata),
      );
    }
    case 'alignment': {
      const made = syntheticAlignment(parseFasta(job.fasta).records);
      return done(
        json('result', made.result),
        csv('csv', made.csv),
        csv('metadata', made.metadata),
        json('distributions', made.distributions),
      );
    }
    case 'shifts': {
      const made = syntheticShifts(job);
      if (made === null) {
        const message =
          'The text names no residues: it is neither NEF nor NMR-STAR with a sequence.';
        return { ok: false, message, log: message };
      }
      return done(json('result', made.result), csv('csv', made.csv));
    }
  }
}

function json(name: Output['name'], value: unknown): Output {
  return { name, contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function csv(name: Output['name'], rows: readonly (readonly (string | number | null)[])[]): Output {
  const body = Buffer.from(
    `${rows.map((row) => row.map((cell) => csvField(String(cell ?? ''))).join(',')).join('\n')}\n`,
  );
  return { name, contentType: 'text/csv; charset=utf-8', body };
}

/** FNV-1a over the text, then one value in [0, 1) per position, rounded to three digits. */
function syntheticValues(seed: string, count: number): number[] {
  let hash = 0x811c9dc5;
  for (let n = 0; n < seed.length; n += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(n), 0x01000193);
  }
  return Array.from({ length: count }, (_, n) => {
    const mixed = Math.imul(hash ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
    return Math.floor((mixed / 4_294_967_296) * 1000) / 1000;
  });
}

/**
 * A result file set of the right form (contract of the molecule service, 2.5): the 19 keys, the `.top` including the
 * `.itp` by its native name, and the same atoms in every file. The numbers are meaningless.
 */
interface Atom {
  readonly name: string;
  readonly element: string;
  /** nm */
  readonly at: readonly [number, number, number];
}

function syntheticMolecule(job: MoleculeJob): Record<string, string> {
  const name = baseName(job.fileName);
  const elements =
    job.smiles === null ? fileElements(job.inputFile ?? '') : smilesElements(job.smiles);
  const xyz = syntheticValues(job.smiles ?? job.inputFile ?? '', 3 * elements.length);
  const atoms = elements.map((element, n): Atom => ({
    name: `${element}${String(n + 1)}`,
    element,
    at: [xyz[3 * n] ?? 0, xyz[3 * n + 1] ?? 0, xyz[3 * n + 2] ?? 0],
  }));
  const remark = (mark: string, file: string): string => `${mark} ${name}_${file} ${SYNTHETIC}\n`;
  return {
    em_mdp: `${remark(';', 'em.mdp')}integrator = steep\nnsteps = 500\n`,
    md_mdp: `${remark(';', 'md.mdp')}integrator = md\nnsteps = 10000\n`,
    AC_frcmod: `${SYNTHETIC}\nMASS\n\nBOND\n\nANGLE\n\nDIHE\n\nIMPROPER\n\nNONBON\n\n`,
    AC_inpcrd: `${SYNTHETIC}\n${String(atoms.length).padStart(6)}\n${atoms.map((atom) => atom.at.map((value) => (value * 10).toFixed(7).padStart(12)).join('')).join('\n')}\n`,
    AC_lib: remark('!!', 'AC.lib'),
    AC_prmtop: `%VERSION ${SYNTHETIC}\n%FLAG POINTERS\n%FORMAT(10I8)\n${String(atoms.length).padStart(8)}\n`,
    mol2: mol2(name, atoms),
    CHARMM_inp: `${remark('*', 'CHARMM.inp')}Read rtf card name ${name}_CHARMM.rtf\n`,
    CHARMM_prm: remark('*', 'CHARMM.prm'),
    CHARMM_rtf: `${remark('*', 'CHARMM.rtf')}${atoms.map((atom) => `ATOM ${atom.name} ${atom.element} 0.0`).join('\n')}\n`,
    CNS_inp: `${remark('Remarks', 'CNS.inp')}topology\n  @${name}_CNS.top\nend\nparameters\n  @${name}_CNS.par\nend\n`,
    CNS_par: remark('Remarks', 'CNS.par'),
    CNS_top: remark('Remarks', 'CNS.top'),
    GMX_OPLS_itp: itp(name, `${name}_GMX_OPLS.itp`, atoms),
    GMX_OPLS_top: top(name, 'GMX_OPLS.top', '#include "ffoplsaa.itp"'),
    GMX_gro: gro(name, atoms),
    GMX_itp: itp(name, `${name}_GMX.itp`, atoms),
    GMX_top: top(name, 'GMX.top', '[ defaults ]\n1 2 yes 0.5 0.8333333333'),
    NEW_pdb: pdb(name, atoms),
  };
}

/** acpype names its files after the title, without the extension and with plain characters only. */
function baseName(fileName: string): string {
  const plain = fileName.replace(/\.(pdb|mol2|mdl|mol|sdf)$/i, '').replace(/[^A-Za-z0-9_]+/g, '_');
  return plain.replace(/^_+|_+$/g, '') || 'molecule';
}

/** The heavy atoms as written; the implicit hydrogens of a SMILES are not known here. */
function smilesElements(smiles: string): string[] {
  const found = smiles.match(/\[[^\]]*\]|Cl|Br|[BCNOPSFI]|[bcnops]/g) ?? [];
  return found.map((atom) => {
    const symbol = /^\[\d*([A-Z][a-z]?|[a-z]|\*)/.exec(atom)?.[1] ?? atom;
    return symbol.charAt(0).toUpperCase() + symbol.slice(1);
  });
}

function fileElements(content: string): string[] {
  const lines = content.split(/\r\n|\r|\n/);
  const pdbAtoms = lines.filter((line) => /^(ATOM {2}|HETATM)/.test(line));
  if (pdbAtoms.length > 0)
    return pdbAtoms.map((line) => elementOf(line.slice(76, 78), line.slice(12, 16)));
  const start = lines.findIndex((line) => line.trim() === '@<TRIPOS>ATOM');
  if (start >= 0) {
    const rest = lines.slice(start + 1);
    const end = rest.findIndex((line) => line.startsWith('@<TRIPOS>'));
    return rest
      .slice(0, end < 0 ? rest.length : end)
      .filter((line) => line.trim() !== '')
      .map((line) => elementOf('', line.trim().split(/\s+/)[5] ?? ''));
  }
  const count = Number.parseInt(lines[3]?.slice(0, 3) ?? '', 10) || 0;
  return lines.slice(4, 4 + count).map((line) => elementOf('', line.slice(31, 34)));
}

function elementOf(symbol: string, fallback: string): string {
  const plain = symbol.trim() === '' ? (/[A-Za-z]+/.exec(fallback)?.[0] ?? 'C') : symbol.trim();
  return plain.charAt(0).toUpperCase() + plain.slice(1, 2).toLowerCase();
}

function top(name: string, file: string, head: string): string {
  return `; ${name}_${file} ${SYNTHETIC}

${head}

; Include ${name}_GMX.itp topology
#include "${name}_GMX.itp"

; Ligand position restraints
#ifdef POSRES_LIG
#include "posre_${name}.itp"
#endif

[ system ]
 ${name}

[ molecules ]
 ${name}          1
`;
}

function itp(name: string, file: string, atoms: readonly Atom[]): string {
  const rows = atoms.map(
    (atom, n) =>
      `${String(n + 1).padStart(6)}   xx     1   UNL ${atom.name.padStart(5)} ${String(n + 1).padStart(4)}   0.000000   0.00000`,
  );
  return `; ${file} ${SYNTHETIC}

[ moleculetype ]
 ${name}              3

[ atoms ]
${rows.join('\n')}
`;
}

function gro(name: string, atoms: readonly Atom[]): string {
  const rows = atoms.map(
    (atom, n) =>
      `${'1'.padStart(5)}${'UNL'.padEnd(5)}${atom.name.slice(0, 5).padStart(5)}${String(n + 1).padStart(5)}${atom.at.map((value) => value.toFixed(3).padStart(8)).join('')}`,
  );
  return `${name}_GMX.gro ${SYNTHETIC}\n${String(atoms.length)}\n${rows.join('\n')}\n   2.00000   2.00000   2.00000\n`;
}

function pdb(name: string, atoms: readonly Atom[]): string {
  const rows = atoms.map(
    (atom, n) =>
      `ATOM  ${String(n + 1).padStart(5)} ${atom.name.slice(0, 4).padStart(4)} UNL A   1    ${atom.at.map((value) => (value * 10).toFixed(3).padStart(8)).join('')}  1.00  0.00          ${atom.element.padStart(2)}`,
  );
  return `REMARK ${name}_NEW.pdb ${SYNTHETIC}\n${rows.join('\n')}\nEND\n`;
}

function mol2(name: string, atoms: readonly Atom[]): string {
  const rows = atoms.map(
    (atom, n) =>
      `${String(n + 1).padStart(7)} ${atom.name.padEnd(6)} ${atom.at.map((value) => (value * 10).toFixed(4).padStart(10)).join(' ')} xx 1 UNL 0.000000`,
  );
  return `# ${SYNTHETIC}\n@<TRIPOS>MOLECULE\n${name}\n${String(atoms.length)} 0 1 0 0\nSMALL\nNO_CHARGES\n\n@<TRIPOS>ATOM\n${rows.join('\n')}\n`;
}

/** Predictions: the keys, the residues in order, null for gaps, as in the recorded outputs. */
type Cell = string | number | null;
type Track = Record<string, (number | null)[]>;

function tracks(id: string, residues: readonly string[], keys: readonly string[]): Track {
  return Object.fromEntries(
    keys.map((key) => {
      const values = syntheticValues(`${id} ${residues.join('')} ${key}`, residues.length);
      return [key, residues.map((residue, n) => (residue === '-' ? null : (values[n] ?? 0)))];
    }),
  );
}

interface Made {
  readonly id: string;
  readonly residues: readonly string[];
  readonly tracks: Track;
}

function make(records: readonly FastaRecord[], keys: readonly string[]): Made[] {
  const ids = resultIds(records.map((record) => record.header));
  return records.map(({ residues }, n) => {
    const id = ids[n] ?? '';
    return { id, residues: [...residues], tracks: tracks(id, [...residues], keys) };
  });
}

function table(made: readonly Made[], keys: readonly string[]): Cell[][] {
  const rows = made.flatMap(({ id, residues, tracks: values }) =>
    residues.map((residue, n): Cell[] => [
      id,
      residue,
      n,
      ...keys.map((key) => values[key]?.[n] ?? null),
      'synthetic',
    ]),
  );
  return [['sequence_id', 'residue', 'residue_index', ...keys, 'note'], ...rows];
}

function metadataTable(made: readonly Made[]): Cell[][] {
  const rows = made.map(({ id, residues }): Cell[] => [
    id,
    residues.filter((residue) => residue !== '-').length,
    residues.length,
    SYNTHETIC,
  ]);
  return [['sequence_id', 'length', 'aligned_length', 'note'], ...rows];
}

function syntheticSequences(
  records: readonly FastaRecord[],
  predictors: readonly string[],
): { result: unknown; csv: Cell[][]; metadata: Cell[][] } {
  const keys = predictorKeys(predictors);
  const made = make(records, keys);
  const proteins = Object.fromEntries(
    made.map(({ id, residues, tracks: values }) => [id, { seq: residues, ...values }]),
  );
  return {
    result: { proteins, metadata: { synthetic: true, note: SYNTHETIC, mode: 'Single Sequence' } },
    csv: table(made, keys),
    metadata: metadataTable(made),
  };
}

function syntheticAlignment(records: readonly FastaRecord[]): {
  result: unknown;
  csv: Cell[][];
  metadata: Cell[][];
  distributions: unknown;
} {
  const keys = predictorKeys(DEFAULT_PREDICTORS);
  const made = make(records, keys);
  const metadata = { synthetic: true, note: SYNTHETIC, mode: 'MSA' };
  return {
    result: {
      proteins: Object.fromEntries(made.map(({ id, tracks: values }) => [id, values])),
      sequences: Object.fromEntries(made.map(({ id, residues }) => [id, residues])),
      metadata,
    },
    csv: table(made, keys),
    metadata: metadataTable(made),
    distributions: { results: distributions(made, keys), metadata },
  };
}

/** Median, quartiles and extremes of each column; null if every sequence has a gap. */
function distributions(made: readonly Made[], keys: readonly string[]): Record<string, unknown> {
  const columns = made[0]?.residues.length ?? 0;
  const quantile = (key: string, part: number): (number | null)[] =>
    Array.from({ length: columns }, (_, n) => {
      const values = made
        .map((entry) => entry.tracks[key]?.[n] ?? null)
        .filter((value) => value !== null)
        .sort((a, b) => a - b);
      return values[Math.round(part * (values.length - 1))] ?? null;
    });
  return Object.fromEntries(
    keys.map((key) => [
      key,
      {
        median: quantile(key, 0.5),
        thirdQuartile: quantile(key, 0.75),
        firstQuartile: quantile(key, 0.25),
        topOutlier: quantile(key, 1),
        bottomOutlier: quantile(key, 0),
      },
    ]),
  );
}

/** Null if the text has no residues. */
function syntheticShifts(job: ShiftsJob): { result: unknown; csv: Cell[][] } | null {
  const chains = readChains(job.text);
  if (chains.length === 0) return null;
  const made = chains.map(({ chainCode, residues, seqCodes }) => {
    const seed = `${chainCode} ${residues.join('')} ${job.modelClass}`;
    return {
      ID_file: 'synthetic',
      note: SYNTHETIC,
      sequence: residues,
      seqCodes: job.originalNumbering ? seqCodes : residues.map((_, n) => n + 1),
      // The engine writes them as strings.
      shiftCrypt: syntheticValues(seed, residues.length).map((value) => value.toFixed(3)),
      chainCode,
    };
  });
  const rows = made.flatMap(({ chainCode, sequence, seqCodes, shiftCrypt }) =>
    sequence.map((residue, n): Cell[] => [
      chainCode,
      seqCodes[n] ?? null,
      residue,
      shiftCrypt[n] ?? null,
    ]),
  );
  const header = ['chainCode', 'seqCode', 'residue', 'shiftCrypt', 'note'];
  return { result: made, csv: [header, ...rows.map((row): Cell[] => [...row, 'synthetic'])] };
}
