/** Runs ACPYPE for one job: an empty folder, one process, its output files. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EngineContext, MoleculeJob } from '../../engine.ts';
import type { Installed } from '../installed.ts';
import { runProgram, type Ended } from '../process.ts';
import { removeFolder, workFolder } from '../work-folder.ts';
import {
  acpypeArguments,
  acpypeEnvironment,
  inputFileName,
  readFileSet,
  type FileSet,
} from './command.ts';

/** Its programs needed at most 63 MB in all recorded runs, including one with 200 atoms. */
const MEMORY_MB = 2_000;
/** Linux limits an argument to 128 KB; a SMILES of 200 atoms has 1 KB. */
const SMILES_LENGTH = 10_000;

type AcpypeOutcome =
  | { readonly ok: true; readonly files: FileSet; readonly log: string }
  | { readonly ok: false; readonly message: string; readonly log: string };

/** @param netcdf path of the system's libnetcdf */
export async function runAcpype(
  installed: Installed,
  netcdf: string,
  job: MoleculeJob,
  context: EngineContext,
): Promise<AcpypeOutcome> {
  const folder = workFolder();
  try {
    const unfit = whyUnfit(job, folder);
    if (unfit !== null) return { ok: false, message: unfit, log: unfit };
    if (job.inputFile !== null) await writeFile(join(folder, inputFileName(job)), job.inputFile);
    const ended = await runProgram(
      {
        command: join(installed.folder, 'bin', 'acpype'),
        args: acpypeArguments(job),
        environment: acpypeEnvironment(installed, netcdf, folder),
        folder,
        memoryMb: MEMORY_MB,
      },
      {
        signal: context.signal,
        heartbeatEveryMs: context.heartbeatEveryMs,
        heartbeat: () => {
          context.heartbeat();
        },
        onOutput: phases(context),
      },
    );
    const log = readableLog(ended.output, folder, installed.folder);
    return outcomeOf(job, folder, ended, log);
  } finally {
    await removeFolder(folder);
  }
}

/** ACPYPE treats a SMILES as a path if such a file exists: this prevents reading files of this machine. */
function whyUnfit({ smiles }: MoleculeJob, folder: string): string | null {
  if (smiles === null) return null;
  const text = smiles.trim();
  if (!/^[\x20-\x7e]+$/.test(text)) return 'The SMILES has signs that no SMILES has.';
  if (text.length > SMILES_LENGTH) {
    return `The SMILES has ${String(text.length)} characters; at most ${String(SMILES_LENGTH)} are taken.`;
  }
  return existsSync(resolve(folder, text)) ? 'The SMILES is the path of a file.' : null;
}

function phases(context: EngineContext): (bytes: Uint8Array) => void {
  let last = 0;
  return (bytes) => {
    const phase = phaseOf(Buffer.from(bytes).toString('latin1'));
    if (phase === null || phase.progress <= last) return;
    last = phase.progress;
    context.progress(phase.progress, phase.text);
  };
}

function outcomeOf(job: MoleculeJob, folder: string, ended: Ended, log: string): AcpypeOutcome {
  if (ended.overMemory) {
    const message = `ACPYPE was stopped at its memory limit of ${String(MEMORY_MB)} MB.`;
    return { ok: false, message, log };
  }
  const { files, missing } = readFileSet(job, folder);
  if (ended.code === 0 && missing.length === 0) return { ok: true, files, log };
  return { ok: false, message: failureIn(log) ?? failureOf(ended, missing), log };
}

function failureOf({ code, signal }: Ended, missing: readonly string[]): string {
  const end = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with ${String(code)}`;
  const lost =
    missing.length > 3 ? `${String(missing.length)} of its 19 files` : missing.join(', ');
  return `ACPYPE ${end}${lost === '' ? '' : `, without ${lost}`}.`;
}

/** Python's stack trace in ACPYPE's source; the line above has the message. */
const TRACEBACK =
  /^(?:\nDuring handling of the above exception, another exception occurred:\n\n)?Traceback \(most recent call last\):\n(?: .*\n)+(?:\S.*\n)?/gm;
const TEMPORARY_LOG = /^Log tmp location: .*\n?/gm;

/**
 * Hides the paths of this machine.
 * @param folder the job's, shown as `.`
 * @param engine ACPYPE's, shown as `$ACPYPE`
 */
export function readableLog(output: string, folder: string, engine: string): string {
  return output
    .replaceAll(folder, '.')
    .replaceAll(engine, '$ACPYPE')
    .replaceAll(TRACEBACK, '')
    .replaceAll(TEMPORARY_LOG, '');
}

/** `ACPYPE FAILED: …`, possibly followed by nothing; null if there is no such line. */
export function failureIn(log: string): string | null {
  return /^(?:ERROR: )?(ACPYPE FAILED: ?.*)$/m.exec(log)?.[1]?.trim() ?? null;
}

interface Phase {
  /** 0-100: the fraction of time for a molecule of thirty atoms. */
  readonly progress: number;
  readonly text: string;
}

/** The last match in a text counts. */
const PHASES: readonly (readonly [RegExp, Phase])[] = [
  [/^==> Writing /m, { progress: 80, text: 'writing topologies' }],
  [/^==> Executing Tleap/m, { progress: 70, text: 'assigning parameters' }],
  [/^==> Executing Antechamber/m, { progress: 30, text: 'computing charges and atom types' }],
];

export function phaseOf(printed: string): Phase | null {
  return PHASES.find(([line]) => line.test(printed))?.[1] ?? null;
}
