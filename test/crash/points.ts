/**
 * The named points at which a worker can be made to die. Each name says what has happened and, after the comma, what
 * has not. Two kinds: effects of activities on the outside world, detected in their dependencies
 * (`at-dependencies.ts`), and messages of workflows to the Temporal server, detected between the SDK and its core
 * (`at-core.ts`).
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
type DependencyPoint = (typeof DEPENDENCY_POINTS)[number];

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

/** Must be called on each arrival at a point: at the right one this process is killed, as by `kill -9`. */
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
