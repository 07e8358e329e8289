/**
 * The named places at which a worker can be made to die. Each name says what has happened and, after the comma, what
 * has not. Two kinds: what an activity does to the world outside, met in its dependencies (`at-dependencies.ts`), and
 * what a workflow tells the Temporal server, met between the SDK and its core (`at-core.ts`).
 */
export const DEPENDENCY_POINTS = [
  'submit: before the POST',
  'submit: accepted, not reported',
  'submit: accepted, item not begun',
  'submit: item begun, not reported',
  'find: asked, not answered',
  'poll: before the acceptance is noted',
  'poll: asked, not answered',
  'fetch: half of the stream',
  'fetch: temporary file filled, not renamed',
  'fetch: file there, not reported',
  'conclude: files there, no end in item.json',
  'conclude: end in item.json, campaign not told',
  'conclude: campaign told, not reported',
  'deliver: files there, no end in item.json',
  'deliver: end in item.json, nothing published',
  'publish: before the tables',
  'publish: tables there, no SHA256SUMS',
  'publish: SHA256SUMS there, not reported',
  'campaign: page asked for, not read',
  'ensureBudget: before the budget is started',
  'ensureBudget: budget started, not reported',
] as const;
export type DependencyPoint = (typeof DEPENDENCY_POINTS)[number];

export const CORE_POINTS = [
  'campaign: before the budget is asked',
  'campaign: budget asked',
  'budget: before continue-as-new',
  'budget: continued as new',
  'campaign: before continue-as-new',
  'campaign: continued as new',
] as const;
export type CorePoint = (typeof CORE_POINTS)[number];

export type CrashPoint = DependencyPoint | CorePoint;

export interface Crash {
  readonly point: CrashPoint;
  /** At which arrival there, from 1. */
  readonly nth: number;
}

/** To be told of each arrival at a point: at the right one this process is gone, as by `kill -9`. */
export class Fuse {
  readonly #crash: Crash | null;
  #arrivals = 0;

  constructor(crash: Crash | null) {
    this.#crash = crash;
  }

  at(point: CrashPoint): void {
    if (point !== this.#crash?.point) return;
    this.#arrivals += 1;
    if (this.#arrivals === this.#crash.nth) process.kill(process.pid, 'SIGKILL');
  }
}
