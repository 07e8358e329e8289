/** The command of ACPYPE for a job, and its output files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno } from '../../../problem.ts';
import type { MoleculeJob } from '../../engine.ts';
import type { Installed } from '../installed.ts';

/** Longer names break the fixed columns of GROMACS's and AMBER's files. */
const NAME_LENGTH = 24;

/**
 * The molecule's name in its files, derived from the job's title: letters, digits and single underscores, because
 * ACPYPE uses it in shell commands and in formats that allow nothing else.
 */
export function moleculeName(job: MoleculeJob): string {
  const title = job.inputFile === null ? job.fileName : job.fileName.replace(/\.[^.]*$/, '');
  const plain = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .slice(0, NAME_LENGTH)
    .replace(/^_+|_+$/g, '');
  return plain === '' ? 'molecule' : plain;
}

/** ACPYPE detects a format only by its lower-case extension. */
export function inputFileName(job: MoleculeJob): string {
  const ending = /\.([A-Za-z0-9]+)$/.exec(job.fileName)?.[1]?.toLowerCase() ?? '';
  return `${moleculeName(job)}.${ending}`;
}

/** Options and values are one argument: a SMILES may begin like another option. */
export function acpypeArguments(job: MoleculeJob): string[] {
  return [
    `--input=${job.smiles === null ? inputFileName(job) : job.smiles.trim()}`,
    `--basename=${moleculeName(job)}`,
    `--charge_method=${job.chargeMethod}`,
    ...(job.netCharge === null ? [] : [`--net_charge=${String(job.netCharge)}`]),
    `--atom_type=${job.atomType}`,
  ];
}

/**
 * The complete environment of ACPYPE.
 * @param netcdf the system's library; the copy in ACPYPE's wheel, which teLeap would load, lacks its own dependencies
 */
export function acpypeEnvironment(
  installed: Installed,
  netcdf: string,
  folder: string,
): Record<string, string> {
  return {
    PATH: `${join(installed.folder, 'bin')}:/usr/bin:/bin`,
    LD_PRELOAD: netcdf,
    // One core per job: the service runs as many jobs as there are cores.
    OMP_NUM_THREADS: '1',
    OPENBLAS_NUM_THREADS: '1',
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
  };
}

/**
 * The 19 files of a molecule (contract of the molecule service, 2.5), in its order, under ACPYPE's own names. `NAME` is the molecule's name, `METHOD` and `TYPES` are the charge method and atom type
 * options.
 */
const FILE_NAMES = {
  em_mdp: 'em.mdp',
  md_mdp: 'md.mdp',
  AC_frcmod: 'NAME_AC.frcmod',
  AC_inpcrd: 'NAME_AC.inpcrd',
  AC_lib: 'NAME_AC.lib',
  AC_prmtop: 'NAME_AC.prmtop',
  mol2: 'NAME_METHOD_TYPES.mol2',
  CHARMM_inp: 'NAME_CHARMM.inp',
  CHARMM_prm: 'NAME_CHARMM.prm',
  CHARMM_rtf: 'NAME_CHARMM.rtf',
  CNS_inp: 'NAME_CNS.inp',
  CNS_par: 'NAME_CNS.par',
  CNS_top: 'NAME_CNS.top',
  GMX_OPLS_itp: 'NAME_GMX_OPLS.itp',
  GMX_OPLS_top: 'NAME_GMX_OPLS.top',
  GMX_gro: 'NAME_GMX.gro',
  GMX_itp: 'NAME_GMX.itp',
  GMX_top: 'NAME_GMX.top',
  NEW_pdb: 'NAME_NEW.pdb',
} as const;

type FileKey = keyof typeof FILE_NAMES;
export type FileSet = Readonly<Record<FileKey, string>>;

/** The output of ACPYPE in the job's `folder`; `missing` names the files that are absent or empty. */
export function readFileSet(
  job: MoleculeJob,
  folder: string,
): { readonly files: FileSet; readonly missing: readonly string[] } {
  const name = moleculeName(job);
  const missing: string[] = [];
  const files = Object.entries(FILE_NAMES).map(([key, pattern]): [string, string] => {
    const fileName = pattern
      .replace('METHOD', job.chargeMethod)
      .replace('TYPES', job.atomType)
      .replace('NAME', name);
    const text = readText(join(folder, `${name}.acpype`, fileName));
    if (text.trim() === '') missing.push(fileName);
    return [key, text];
  });
  return { files: Object.fromEntries(files) as FileSet, missing };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return '';
    throw error;
  }
}
