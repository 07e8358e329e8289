/** How far a publication is, for whoever waits for it. */

export interface PublishProgress {
  readonly step: 'audit' | 'tables' | 'report' | 'checksums';
  /** Items or, of checksums, files done in this step. */
  readonly done: number;
}

export interface ProgressOptions {
  /** Called often: after each item and each file. */
  readonly heartbeat?: (progress: PublishProgress) => void;
  /** Breaks off between two items or files; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** To be called after each item or file of the step. */
export function counter(
  step: PublishProgress['step'],
  { heartbeat, signal }: ProgressOptions,
): () => void {
  let done = 0;
  return () => {
    signal?.throwIfAborted();
    done += 1;
    heartbeat?.({ step, done });
  };
}
