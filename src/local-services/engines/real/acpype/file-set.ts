/** The 19 files of a molecule (contract of the molecule service, 2.5), under ACPYPE's own names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MoleculeJob } from '../../engine.ts';
import { moleculeName } from './command.ts';

/** Key of the contract → the end of ACPYPE's file name, after the molecule's name. */
const ENDINGS = {
  AC_frcmod: '_AC.frcmod',
  AC_inpcrd: '_AC.inpcrd',
  AC_lib: '_AC.lib',
  AC_prmtop: '_AC.prmtop',
  CHARMM_inp: '_CHARMM.inp',
  CHARMM_prm: '_CHARMM.prm',
  CHARMM_rtf: '_CHARMM.rtf',
  CNS_inp: '_CNS.inp',
  CNS_par: '_CNS.par',
  CNS_top: '_CNS.top',
  GMX_OPLS_itp: '_GMX_OPLS.itp',
  GMX_OPLS_top: '_GMX_OPLS.top',
  GMX_gro: '_GMX.gro',
  GMX_itp: '_GMX.itp',
  GMX_top: '_GMX.top',
  NEW_pdb: '_NEW.pdb',
} as const;

export type FileKey = keyof typeof ENDINGS | 'em_mdp' | 'md_mdp' | 'mol2';
export type FileSet = Readonly<Record<FileKey, string>>;

function fileNames(job: MoleculeJob): Readonly<Record<FileKey, string>> {
  const name = moleculeName(job);
  const named = Object.entries(ENDINGS).map(([key, ending]) => [key, `${name}${ending}`] as const);
  return {
    em_mdp: 'em.mdp',
    md_mdp: 'md.mdp',
    mol2: `${name}_${job.chargeMethod}_${job.atomType}.mol2`,
    ...(Object.fromEntries(named) as Record<keyof typeof ENDINGS, string>),
  };
}

/** What ACPYPE wrote into `folder`, its job's; `missing` names the files that are absent or empty. */
export function readFileSet(
  job: MoleculeJob,
  folder: string,
): { readonly files: FileSet; readonly missing: readonly string[] } {
  const names = Object.entries(fileNames(job));
  const missing: string[] = [];
  const files = names.map(([key, name]): [string, string] => {
    const text = readText(join(folder, `${moleculeName(job)}.acpype`, name));
    if (text.trim() === '') missing.push(name);
    return [key, text];
  });
  return { files: Object.fromEntries(files) as unknown as FileSet, missing };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
