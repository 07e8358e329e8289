/** One comparison of a real engine with a recorded run of it: a line of the table of `npm run verify:engines`. */
export interface VerifiedRow {
  /** Of the recorded run. */
  readonly key: string;
  /** The outcome of the recorded run, and of this one, in one word. */
  readonly recorded: string;
  readonly now: string;
  readonly same: boolean;
  /** How far apart they are, or what differs. */
  readonly detail: string;
  /** The service's own reason if it fails a success of the engine; empty otherwise. */
  readonly service: string;
  /** Wall time of this run. */
  readonly seconds: number;
}

/** A recorded run that can be repeated. */
export interface VerifiableRun {
  readonly key: string;
  verify(): Promise<VerifiedRow>;
}

/** Recorded runs that cannot be submitted to the service at all, and why. */
export interface LeftOut {
  readonly key: string;
  readonly why: string;
}
