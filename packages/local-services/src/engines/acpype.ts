/** ACPYPE: its command line, one process for one job in an empty folder, its output files. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasErrno } from '../problem.ts';
import {
  createFailure,
  createMachineFailure,
  type EngineContext,
  type EngineOutcome,
  type MoleculeJob,
} from './engine.ts';
import type { Installed } from './install.ts';
import { findMachineFault, runInWorkFolder, runProgram, type Ended } from './process.ts';

/** @param netcdf the system's library; the copy in ACPYPE's wheel, which teLeap would load, lacks its own dependencies */
export async function runAcpype(
  installed: Installed,
  netcdf: string,
  job: MoleculeJob,
  context: EngineContext,
): Promise<EngineOutcome> {
  return runInWorkFolder(async (folder) => {
    const unfit = findUnfitReason(job, folder);
    if (unfit !== null) return createFailure(unfit);
    if (job.inputFile !== null) await writeFile(join(folder, nameInputFile(job)), job.inputFile);
    const bin = join(installed.folder, 'bin');
    const program = {
      command: join(bin, 'acpype'),
      args: listArguments(job),
      environment: { PATH: `${bin}:/usr/bin:/bin`, LD_PRELOAD: netcdf },
      folder,
    };
    context.progress(30, 'assigning parameters');
    const ended = await runProgram(program, context);
    const log = cleanLog(ended.output, folder, installed.folder);
    return readOutcome(job, folder, ended, log);
  });
}

/** ACPYPE treats a SMILES as a path if such a file exists: this prevents reading files of this machine. */
function findUnfitReason({ smiles }: MoleculeJob, folder: string): string | null {
  if (smiles === null) return null;
  const text = smiles.trim();
  // Linux limits an argument to 128 KB; a SMILES of 200 atoms has 1 KB.
  if (!/^[\x20-\x7e]{1,10000}$/.test(text))
    return 'The SMILES has signs that no SMILES has, or more than 10000.';
  return existsSync(resolve(folder, text)) ? 'The SMILES is the path of a file.' : null;
}

function readOutcome(job: MoleculeJob, folder: string, ended: Ended, log: string): EngineOutcome {
  const fault = findMachineFault(ended);
  if (fault !== null) return createMachineFailure(fault, log);
  const { files, missing } = readFileSet(job, folder);
  if (ended.code === 0 && missing.length === 0) {
    const body = Buffer.from(JSON.stringify(files));
    return { ok: true, log, outputs: [{ name: 'result', body }] };
  }
  const { code, signal } = ended;
  const how = `ACPYPE ended with ${String(code ?? signal)}, without ${missing.join(', ') || 'an error'}.`;
  return { ok: false, message: findFailure(log) ?? how, log };
}

/** Python's stack trace in ACPYPE's source; the line above has the message. */
const TRACEBACK =
  /^(?:\nDuring handling of the above exception, another exception occurred:\n\n)?Traceback \(most recent call last\):\n(?: .*\n)+(?:\S.*\n)?/gm;

/**
 * Hides the paths of this machine.
 * @param folder the job's, shown as `.`
 * @param engine ACPYPE's, shown as `$ACPYPE`
 */
export function cleanLog(output: string, folder: string, engine: string): string {
  return output
    .replaceAll(folder, '.')
    .replaceAll(engine, '$ACPYPE')
    .replaceAll(TRACEBACK, '')
    .replaceAll(/^Log tmp location: .*\n?/gm, '');
}

/** `ACPYPE FAILED: …`, possibly followed by nothing; null if there is no such line. */
export function findFailure(log: string): string | null {
  return /^(?:ERROR: )?(ACPYPE FAILED: ?.*)$/m.exec(log)?.[1]?.trim() ?? null;
}

/** Longer names break the fixed columns of GROMACS's and AMBER's files. */
const NAME_LENGTH = 24;

/**
 * The molecule's name in its files, derived from the job's title: letters, digits and single underscores, because
 * ACPYPE uses it in shell commands and in formats that allow nothing else.
 */
export function chooseMoleculeName(job: MoleculeJob): string {
  const title = job.inputFile === null ? job.fileName : job.fileName.replace(/\.[^.]*$/, '');
  const plain = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .slice(0, NAME_LENGTH)
    .replace(/^_+|_+$/g, '');
  return plain === '' ? 'molecule' : plain;
}

/** ACPYPE detects a format only by its lower-case extension. */
function nameInputFile(job: MoleculeJob): string {
  const ending = /\.([A-Za-z0-9]+)$/.exec(job.fileName)?.[1]?.toLowerCase() ?? '';
  return `${chooseMoleculeName(job)}.${ending}`;
}

/** Options and values are one argument: a SMILES may begin like another option. */
export function listArguments(job: MoleculeJob): string[] {
  return [
    `--input=${job.smiles === null ? nameInputFile(job) : job.smiles.trim()}`,
    `--basename=${chooseMoleculeName(job)}`,
    `--charge_method=${job.chargeMethod}`,
    ...(job.netCharge === null ? [] : [`--net_charge=${String(job.netCharge)}`]),
    `--atom_type=${job.atomType}`,
  ];
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

/** The output of ACPYPE in the job's `folder`; `missing` names the files that are absent or empty. */
function readFileSet(
  job: MoleculeJob,
  folder: string,
): { readonly files: Readonly<Record<string, string>>; readonly missing: readonly string[] } {
  const name = chooseMoleculeName(job);
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
  return { files: Object.fromEntries(files), missing };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return '';
    throw error;
  }
}
