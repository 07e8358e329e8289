/** The command line of ACPYPE for a job: name, arguments, environment. Pure. */
import { join } from 'node:path';
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
