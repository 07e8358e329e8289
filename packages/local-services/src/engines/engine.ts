/**
 * Runs jobs: with recorded outputs, synthetic data for tests, or the real programs as child processes. An
 * engine sends its worker's heartbeats, reports its phases, and stops on the signal; a real one then kills its child
 * process.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export const ENGINE_NAMES = ['real', 'recorded', 'synthetic'] as const;
type EngineName = (typeof ENGINE_NAMES)[number];

export interface MoleculeJob {
  readonly kind: 'molecule';
  /** Exactly one of `smiles` and `inputFile` is a string. */
  readonly smiles: string | null;
  readonly inputFile: string | null;
  readonly fileName: string;
  readonly chargeMethod: string;
  /** In units of the elementary charge; null = automatic. */
  readonly netCharge: number | null;
  readonly atomType: string;
}

export interface SequenceJob {
  readonly kind: 'sequence';
  /** FASTA text; the service has added a header if there was none. */
  readonly fasta: string;
  /** With their names of the current contract (4.1). */
  readonly predictors: readonly string[];
  /** Names unknown to the service: accepted at submission, rejected by the worker (4.1). */
  readonly unknownPredictors: readonly string[];
}

export interface AlignmentJob {
  readonly kind: 'alignment';
  readonly fasta: string;
}

export interface ShiftsJob {
  readonly kind: 'shifts';
  readonly text: string;
  /** Detected from the contents (contract of the prediction service, 4.3); null if it is neither. */
  readonly format: 'nef' | 'nmr-star' | null;
  readonly modelClass: string;
  readonly originalNumbering: boolean;
}

export type EngineJob = MoleculeJob | SequenceJob | AlignmentJob | ShiftsJob;

export interface EngineContext {
  /** Aborted at the time limit, after missing heartbeats, and when the service stops. */
  readonly signal: AbortSignal;
  /** How often `heartbeat` is expected, in ms. */
  readonly heartbeatEveryMs: number;
  /** Progress (0-100) and a description of the current phase. Counts as a heartbeat. */
  progress(progress: number, text: string): void;
  heartbeat(): void;
}

/** `result` is the prediction, or the molecule's result file set; the others are its other formats. */
export type OutputName = 'result' | 'csv' | 'metadata' | 'distributions';

export const CONTENT_TYPES: Readonly<Record<OutputName, string>> = {
  result: 'application/json',
  csv: 'text/csv; charset=utf-8',
  metadata: 'text/csv; charset=utf-8',
  distributions: 'application/json',
};

export interface Output {
  readonly name: OutputName;
  readonly body: Uint8Array;
}

export type EngineOutcome =
  | { readonly ok: true; readonly outputs: readonly Output[]; readonly log: string }
  /** The engine's own message. */
  | { readonly ok: false; readonly message: string; readonly log: string };

/** A job that fails before, or instead of, a run. */
export function createFailure(message: string): EngineOutcome {
  return { ok: false, message, log: message };
}

/** Begins the message of a job that this machine, and not its input, has ended: hundredfold gives it to another service. */
const MACHINE_FAILED = 'The machine failed, not the input: ';

/** @param log of the engine until then */
export function createMachineFailure(why: string, log = ''): EngineOutcome {
  const message = `${MACHINE_FAILED}${why}`;
  return { ok: false, message, log: log === '' ? message : `${log}\n${message}` };
}

export interface Engine {
  /** Real, recorded, or synthetic. */
  readonly name: EngineName;
  /** Program and version, for display: `ACPYPE 2023.10.27`. */
  readonly version: string;
  /** Rejects only when aborted or broken; a failed job is an outcome. */
  run(job: EngineJob, context: EngineContext): Promise<EngineOutcome>;
  /** Resolves when all its processes have ended. All its jobs must have been aborted before. */
  close?(): Promise<void>;
}

/** The engine of a job, for the log of a molecule and the processing log of a prediction. */
export function formatEngineStatement({ name, version }: Pick<Engine, 'name' | 'version'>): string {
  return `engine: ${name}, ${version}`;
}

/** Takes `ms` milliseconds. Rejects with the signal's reason when aborted. */
export async function paceJob(ms: number, context: EngineContext): Promise<void> {
  const { signal, heartbeatEveryMs } = context;
  for (const percent of [30, 40]) {
    context.progress(percent, 'running predictions');
    const end = performance.now() + ms / 2;
    for (let left = ms / 2; left > 0; left = end - performance.now()) {
      await sleep(Math.min(left, heartbeatEveryMs), undefined, { signal });
      context.heartbeat();
    }
  }
}
