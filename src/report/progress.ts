/** The progress of a publication. */

export interface PublishProgress {
  readonly step: 'audit' | 'results' | 'crate' | 'checksums';
  /** Items, or for checksums files, done in this step. */
  readonly done: number;
}

export interface ProgressOptions {
  /** Called often: at the beginning of a step, and after each of its items or files. */
  readonly heartbeat?: (progress: PublishProgress) => void;
  /** Aborts between two items or files; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Call it after each item or file of the step. */
export function counter(
  step: PublishProgress['step'],
  { heartbeat, signal }: ProgressOptions,
): () => void {
  let done = 0;
  heartbeat?.({ step, done });
  return () => {
    signal?.throwIfAborted();
    done += 1;
    heartbeat?.({ step, done });
  };
}
