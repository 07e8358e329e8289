/**
 * Limits what wrong settings cost: an option for all rows, a broken engine. Of each kind a few rows are sent first, until
 * one has succeeded; and a service whose items fail for the same reason is paused, because the others would fail as well,
 * and each would use a slot.
 *
 * Wrong settings fail within seconds, and good jobs may run for hours: the campaign sends all rows of a kind as soon as
 * nothing of it has failed for `QUIET_MS` after the first was accepted.
 */
import { condition } from '@temporalio/workflow';
import type { ItemEnd, ItemEntry, Kind, PausedService, ServiceName } from '../domain/campaign.ts';
import type { ToldEngine } from '../domain/engines.ts';
import { type ComparedLane, type EnginesCarried, LaneEngines } from './engines.ts';

const SUCCESS = '';

interface Ends {
  /** Nothing has succeeded since the campaign began, and the service was never paused. */
  atStart: boolean;
  /** Code and message (in its normal form) of the last ends; oldest first. */
  last: string[];
}

/** The first rows of one kind. */
export interface Trial {
  readonly service: ServiceName;
  readonly kind: Kind;
  /** All rows of the kind may be sent. */
  isOver: boolean;
  /** The service has accepted a row, or one has failed. */
  isAnswered: boolean;
  /** How many have failed, and the reasons of the last ones, oldest first. */
  failed: number;
  last: string[];
}

export interface BreakerCarried {
  readonly ends: Readonly<Partial<Record<ServiceName, Ends>>>;
  readonly trials: readonly Trial[];
  readonly paused: readonly PausedService[];
  readonly engines: EnginesCarried;
}

export class Breaker {
  /** How many rows are sent first. Undefined: all, and nothing is ever paused. */
  readonly first: number | undefined;
  readonly #ends: Partial<Record<ServiceName, Ends>>;
  readonly #trials: Trial[];
  readonly #watched = new Set<Trial>();
  readonly #engines: LaneEngines;
  #paused: PausedService[];

  /** @param first `JobPolicy.sameFailures` */
  constructor(first: number | undefined, carried?: BreakerCarried) {
    this.first = first;
    this.#ends = { ...carried?.ends };
    this.#trials = [...(carried?.trials ?? [])];
    this.#paused = [...(carried?.paused ?? [])];
    this.#engines = new LaneEngines(carried?.engines);
  }

  /** The services that it has paused, and why. */
  get paused(): readonly PausedService[] {
    return this.#paused;
  }

  /** For continue-as-new. */
  carried(): BreakerCarried {
    const engines = this.#engines.carried();
    return { ends: this.#ends, trials: this.#trials, paused: this.#paused, engines };
  }

  /**
   * How many rows of this kind may be sent now. Of those that have ended, only the most frequent failure counts: different
   * failures, and crashes of our own, say nothing against the other rows.
   *
   * @param open rows of the kind that wait for a slot or were sent, and have not ended
   */
  room(service: ServiceName, kind: Kind, open: number): number {
    const { isOver, last } = this.#trial(service, kind);
    if (this.first === undefined || isOver) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.first - open - countMostFrequent(last));
  }

  /** The service has accepted a row of this kind. */
  accept(service: ServiceName, kind: Kind): void {
    this.#trial(service, kind).isAnswered = true;
  }

  /** Those of which a row was accepted or has failed, and not all may be sent: each is to be ended when it is quiet. */
  get answered(): readonly Trial[] {
    return this.#trials.filter(({ isAnswered, isOver }) => isAnswered && !isOver);
  }

  /** The same, each once in a run of the campaign. */
  takeUnwatched(): readonly Trial[] {
    const trials = this.answered.filter((trial) => !this.#watched.has(trial));
    for (const trial of trials) this.#watched.add(trial);
    return trials;
  }

  /** From now on all rows of the kind may be sent. */
  endTrial(service: ServiceName, kind: Kind): void {
    this.#trial(service, kind).isOver = true;
  }

  /** @returns why this service is paused from now on; null if it is not, or was paused before */
  add(service: ServiceName, item: Ended, end: ItemEnd): PausedService | null {
    const { state, code, message, byUs = false } = end;
    // An adopted job was sent by other means: it says nothing about the settings.
    if (this.first === undefined || state === 'cancelled' || byUs || item.adopted) return null;
    const reason = toReason(end, item.id);
    const ends = (this.#ends[service] ??= { atStart: true, last: [] });
    append(ends.last, reason, 2 * this.first);
    if (reason === SUCCESS) {
      this.endTrial(service, item.kind);
      ends.atStart = false;
      return null;
    }
    const trial = this.#trial(service, item.kind);
    trial.isAnswered = true;
    trial.failed += 1;
    append(trial.last, reason, 2 * this.first);
    const times = countEqual(ends.last, reason);
    if (!(ends.atStart && times >= this.first) && times < 2 * this.first - 1) return null;
    this.#ends[service] = { atStart: false, last: [] };
    const found = { service, code: code ?? '', message: message ?? '', times };
    return this.#pause(found) ? found : null;
  }

  /** A result tells its engine. @returns the lanes that are paused from now on, because theirs is not that of the service */
  compareEngines(
    lanes: readonly ComparedLane[],
    kind: Kind,
    told: ToldEngine,
  ): readonly PausedService[] {
    const { differing, equal } = this.#engines.add(lanes, kind, told);
    const isOver = (one: PausedService): boolean =>
      equal.some(({ service, message }) => service === one.service && message === one.message);
    this.#paused = this.#paused.filter((one) => !isOver(one));
    return differing.filter((found) => this.#pause(found));
  }

  /** False if it was paused before. */
  #pause(found: PausedService): boolean {
    if (this.#paused.some(({ service }) => service === found.service)) return false;
    this.#paused.push(found);
    return true;
  }

  /** The user has resumed one service, or all: the remaining rows are to be sent. */
  release(service?: ServiceName): void {
    const isMeant = (one: PausedService) =>
      service === undefined || one.service === service || one.service.startsWith(`${service} (`);
    const paused = this.#paused.filter(isMeant);
    const released = paused.map((one) => one.service);
    this.#engines.accept(paused);
    this.#paused = this.#paused.filter((one) => !isMeant(one));
    for (const trial of this.#trials) if (released.includes(trial.service)) trial.isOver = true;
  }

  #trial(service: ServiceName, kind: Kind): Trial {
    const known = this.#trials.find((trial) => trial.service === service && trial.kind === kind);
    if (known) return known;
    const trial = { service, kind, isOver: false, isAnswered: false, failed: 0, last: [] };
    this.#trials.push(trial);
    return trial;
  }
}

type Ended = Pick<ItemEntry, 'id' | 'kind' | 'adopted'>;

/** Wrong settings fail sooner, and slow jobs are no reason to wait. */
export async function endWhenQuiet(trial: Trial, quietMs: number): Promise<void> {
  const summary = `whether the first rows of kind ${trial.kind} fail`;
  while (!trial.isOver) {
    const { failed } = trial;
    const hasChanged = () => trial.isOver || trial.failed !== failed;
    if (!(await condition(hasChanged, quietMs, { summary }))) trial.isOver = true;
  }
}

function append(reasons: string[], reason: string, most: number): void {
  reasons.push(reason);
  if (reasons.length > most) reasons.shift();
}

function countEqual(reasons: readonly string[], reason: string): number {
  return reasons.filter((one) => one === reason).length;
}

function countMostFrequent(reasons: readonly string[]): number {
  return Math.max(0, ...reasons.map((reason) => countEqual(reasons, reason)));
}

function toReason({ state, code, message }: ItemEnd, id: string): string {
  if (state === 'succeeded') return SUCCESS;
  return `${code ?? ''} ${normaliseMessage(message ?? '', id)}`;
}

/** Shorter ids of items may be words of a message: `1`, `a`. */
const MIN_ID_LENGTH = 3;

/** What differs from job to job although the reason is the same. Other numbers stay: they may show what is wrong with the row. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // Of the address of a request, only the host stays.
  [/(https?:\/\/[^\s/]+)\/[^\s"'<>)]*/gi, '$1/<path>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  // `2026-11-23T04:05:06.7Z`, `2026-11-23`, `04:05:06`, `Mon, 23 Nov 2026 04:05:06 GMT`.
  [
    /\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?:\d{4}-\d\d-\d\d|\d{4}\/\d\d\/\d\d|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{4})(?!\d)/gi,
    '<time>',
  ],
  [/\b[T ]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?!\w)/g, '<time>'],
  [/<time>(?:[T ]?<time>)+/g, '<time>'],
  // `after 12.3 s`, `still called running 75 s past its time limit`.
  [/\b\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|min|minutes?|h|hours?|days?)\b/g, '<time>'],
  // Work folders have random names.
  [/(?<![\w:/.])(?:\/[\w.@+~%-]+){2,}\/?/g, '<path>'],
  // `a1b2c3d4`, `0x7ffe12ab`, `4711234`: letters with digits, from 6 characters on; digits alone, from 5 on.
  [/\b(?:(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{6,}|\d{5,})\b/gi, '<id>'],
  [/\s+/g, ' '],
];

/**
 * The normal form of a failure's message.
 *
 * @param id of the item, which is also within longer names: of its job, of the file that was sent
 */
export function normaliseMessage(message: string, id: string): string {
  const general = id.length < MIN_ID_LENGTH ? message : message.replaceAll(id, '<id>');
  return VARYING.reduce((text, [what, name]) => text.replace(what, name), general).trim();
}
