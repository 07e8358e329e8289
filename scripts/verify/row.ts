/** One comparison of a real engine with a recorded run of it: a line of the table of `npm run verify:engines`. */
export interface VerifiedRow {
  /** Of the recorded run. */
  readonly key: string;
  /** What became of the recorded run, and of this one, in one word. */
  readonly recorded: string;
  readonly now: string;
  readonly same: boolean;
  /** How far apart they are, or what differs. */
  readonly detail: string;
  /** What the service itself says of the engine's success, when it lets it fail; empty otherwise. */
  readonly service: string;
  /** Wall time of this run. */
  readonly seconds: number;
}

/** A recorded run that can be repeated. */
export interface VerifiableRun {
  readonly key: string;
  verify(): Promise<VerifiedRow>;
}

/** Recorded runs that cannot be given to the service at all, and why. */
export interface LeftOut {
  readonly key: string;
  readonly why: string;
}
