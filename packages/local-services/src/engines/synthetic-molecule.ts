/**
 * A result file set of the right form (contract of the molecule service, 2.5): the 19 keys, the `.top` including the
 * `.itp` by its native name, and the same atoms in every file. The numbers are meaningless.
 */
import type { MoleculeJob } from './engine.ts';

/** Part of every payload. */
export const SYNTHETIC = 'SYNTHETIC: shape only, made without any computation; not a result';

/** FNV-1a over the text, then one value in [0, 1) per position, rounded to three digits. */
export function syntheticValues(seed: string, count: number): number[] {
  let hash = 0x811c9dc5;
  for (let n = 0; n < seed.length; n += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(n), 0x01000193);
  }
  return Array.from({ length: count }, (_, n) => {
    const mixed = Math.imul(hash ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
    return Math.floor((mixed / 4_294_967_296) * 1000) / 1000;
  });
}

interface Atom {
  readonly name: string;
  readonly element: string;
  /** nm */
  readonly at: readonly [number, number, number];
}

export function syntheticMolecule(job: MoleculeJob): Record<string, string> {
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
