/** The 19 files of a molecule (contract of the molecule service, 2.5), under ACPYPE's own names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno } from '../../../../domain/errno.ts';
import type { MoleculeJob } from '../../engine.ts';
import { moleculeName } from './command.ts';

/**
 * In the contract's order. `NAME` is the molecule's name, `METHOD` and `TYPES` are the charge method and atom type
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
