/**
 * Whose turn it is. Each campaign waits in a lane of its own for each credential it uses; turns go round the
 * lanes in proportion to their weight (stride scheduling), so that a campaign of ten items is not stuck behind
 * one of ten thousand, and no lane with a weight above zero starves.
 */

import { USUAL_PRIORITY, type Standing } from '../domain/campaign.ts';
import type { CampaignRun, Request, TurnedAway, Waiting } from './request.ts';

const TURNED_AWAY_KEPT = 20;

export interface Queue {
  lanes: Lane[];
  /** Paused campaigns: all their requests wait, also later ones. */
  paused: string[];
  nextOrder: number;
}

export interface Lane {
  readonly campaign: string;
  /** Of several, the one under which it waits. */
  readonly credential: string;
  others?: readonly string[];
  weight: number;
  priority?: number;
  reserve?: number;
  user?: string;
  /** Rows of the campaign without a request yet, as last reported. */
  behind?: number;
  /** Virtual time of the next turn: the lane with the least goes first. */
  pass: number;
  /** Turns without a job, because the service refused the request: they are repeated without charge. */
  owed: number;
  waiting: Waiting[];
}

export function newQueue(): Queue {
  return { lanes: [], paused: [], nextOrder: 0 };
}

/**
 * Adds a request at the end of its lane. An item waits in one place only: requested again, it keeps its place, or
 * changes the lane with its credential. A new run of the item takes the place of the one before, which has ended.
 */
export function enqueue(queue: Queue, request: Request): void {
  const standing = queue.lanes.find(({ waiting }) => placeOf(waiting, request.item) >= 0);
  if (standing && !isLaneOf(standing, request)) withdraw(queue, request);
  const lane = laneOf(queue, request);
  setStanding(lane, request);
  if (request.behind !== undefined) lane.behind = request.behind;
  if (lane === standing) {
    const at = placeOf(lane.waiting, request.item);
    const before = lane.waiting[at] as Waiting;
    if (before.run !== request.run) lane.waiting[at] = { ...before, ...request, turnedAway: [] };
    return;
  }
  lane.waiting.push({ ...request, order: queue.nextOrder, turnedAway: [] });
  queue.nextOrder += 1;
}

function setStanding(lane: Lane, { weight, priority, reserve, user }: Standing): void {
  lane.weight = weight;
  if (priority === undefined) delete lane.priority;
  else lane.priority = priority;
  if (reserve === undefined) delete lane.reserve;
  else lane.reserve = reserve;
  if (user !== undefined) lane.user = user;
}

/** Puts a request back in its place: it keeps its turn, and its lane does too. */
export function putBack(queue: Queue, refused: Waiting, because?: TurnedAway): void {
  const turnedAway = [...refused.turnedAway, ...(because ? [because] : [])].slice(
    -TURNED_AWAY_KEPT,
  );
  const request: Waiting = { ...atHome(refused), turnedAway };
  const lane = laneOf(queue, request);
  const behind = lane.waiting.findIndex(({ order }) => order > request.order);
  lane.waiting.splice(behind < 0 ? lane.waiting.length : behind, 0, request);
  lane.owed += 1;
}

/** With the credential that it waits under. */
function atHome({ home, ...request }: Waiting): Waiting {
  return home === undefined ? request : { ...request, credential: home };
}

/**
 * Puts a request at the end of its lane: the next attempt is made with another row, which shows whether the service
 * refuses all of them or only this one.
 */
export function putLast(queue: Queue, refused: Waiting, because: TurnedAway): void {
  putBack(queue, { ...refused, order: queue.nextOrder }, because);
  queue.nextOrder += 1;
}

/** Removes an item from the queue, whatever its run if none is given; false if it does not wait. */
export function withdraw(queue: Queue, { item, run }: Pick<Request, 'item' | 'run'>): boolean {
  for (const { waiting } of queue.lanes) {
    const at = placeOf(waiting, item);
    if (at >= 0 && (run === undefined || waiting[at]?.run === run)) {
      waiting.splice(at, 1);
      return true;
    }
  }
  return false;
}

/** Removes all requests of one run of a campaign from the queue. */
export function withdrawRun(queue: Queue, { campaign, run }: CampaignRun): void {
  for (const lane of queue.lanes)
    if (lane.campaign === campaign)
      lane.waiting = lane.waiting.filter((request) => request.run !== run);
}

/** A resumed campaign is placed like a new one: it is not owed the turns it missed while it was paused. */
export function pauseCampaign(queue: Queue, campaign: string, paused: boolean): void {
  if (queue.paused.includes(campaign) === paused) return;
  if (paused) {
    queue.paused.push(campaign);
    return;
  }
  const lanes = queue.lanes.filter((lane) => lane.campaign === campaign);
  for (const lane of lanes) lane.pass = leastPass(queue, lane.credential);
  queue.paused = queue.paused.filter((name) => name !== campaign);
}

/** The lanes that have someone waiting and are not paused, the one whose turn it is first. */
export function inTurn(queue: Queue): Lane[] {
  const lanes = queue.lanes
    .filter((lane) => lane.waiting.length > 0 && !queue.paused.includes(lane.campaign))
    .sort((a, b) => a.pass - b.pass);
  return lanes.some(({ priority }) => priority !== undefined) ? byPriority(lanes) : lanes;
}

/** The turns of a credential are those of its lanes with the highest priority; among credentials nothing changes. */
function byPriority(lanes: readonly Lane[]): Lane[] {
  const first = [...lanes].sort((a, b) => priorityOf(a) - priorityOf(b));
  return lanes.map(({ credential }) => {
    const at = first.findIndex((lane) => lane.credential === credential);
    return first.splice(at, 1)[0] as Lane;
  });
}

function priorityOf({ priority = USUAL_PRIORITY }: Pick<Lane, 'priority'>): number {
  return priority;
}

/** The credentials that a lane may use, the one that it waits under first. */
export function credentialsOf({ credential, others = [] }: Lane): readonly string[] {
  return [credential, ...others];
}

function mayUse(lane: Lane, credential: string): boolean {
  return lane.credential === credential || (lane.others?.includes(credential) ?? false);
}

/** Those of these lanes that go before this one at a credential which is not its first: `inTurn` knows that one only. */
export function rivals(lanes: readonly Lane[], lane: Lane, credential: string): Lane[] {
  if (!lanes.some(({ others }) => others !== undefined)) return [];
  return lanes.filter((one) => mayUse(one, credential) && priorityOf(one) < priorityOf(lane));
}

/** Those of a lower priority have their turns after these, and are not owed them. */
export function outrank(queue: Queue, chosen: Lane, credential: string): void {
  for (const lane of queue.lanes) {
    if (!mayUse(lane, credential) || priorityOf(lane) <= priorityOf(chosen)) continue;
    lane.pass = Math.max(lane.pass, chosen.pass);
  }
}

/** Takes the next request out of a lane and counts its turn. */
export function takeTurn(lane: Lane): Waiting {
  const request = lane.waiting.shift();
  if (request === undefined) throw new Error(`lane ${lane.campaign} has no waiting request`);
  if (lane.owed > 0) lane.owed -= 1;
  else lane.pass += 1 / lane.weight;
  return request;
}

/**
 * `chosen` has its turn, with the credential `used`, before lanes in front of it whose credential has no slot. They are
 * not owed the turn: once they had slots again, they would keep all others waiting until they had caught up. The lanes of one
 * credential move together, because among them the order is to stay.
 */
export function passOver(lanes: readonly Lane[], chosen: Lane, used: string): void {
  for (const before of lanes.slice(0, lanes.indexOf(chosen))) {
    const { credential, pass, reserve } = before;
    const behind = chosen.pass - pass;
    // It left its turn to this one.
    if (mayUse(before, used) && reserve) before.pass = Math.max(pass, chosen.pass);
    if (behind <= 0 || mayUse(before, used)) continue;
    for (const lane of lanes) if (lane.credential === credential) lane.pass += behind;
  }
}

/** Removes empty lanes. */
export function sweep(queue: Queue): void {
  queue.lanes = queue.lanes.filter((lane) => lane.waiting.length > 0);
}

function laneOf(queue: Queue, request: Request): Lane {
  const known = queue.lanes.find((lane) => isLaneOf(lane, request));
  if (known) return known;
  const { campaign, credential, weight } = request;
  const pass = leastPass(queue, credential);
  const { others } = request;
  const lane: Lane = {
    campaign,
    credential,
    weight,
    pass,
    owed: 0,
    waiting: [],
    ...(others !== undefined && { others }),
  };
  setStanding(lane, request);
  queue.lanes.push(lane);
  return lane;
}

/**
 * Where a newcomer starts: level with the lane whose turn it is, among those that wait for the same slots. Further
 * back it would be owed the turns before its time.
 */
function leastPass(queue: Queue, credential: string): number {
  const lanes = inTurn(queue);
  return (lanes.find((lane) => lane.credential === credential) ?? lanes[0])?.pass ?? 0;
}

/** An item that keeps the credential that it was sent with does not wait among those that may use any. */
function isLaneOf(lane: Lane, { campaign, credential, others }: Request): boolean {
  const sameChoice = (lane.others === undefined) === (others === undefined);
  return lane.campaign === campaign && lane.credential === credential && sameChoice;
}

function placeOf(waiting: readonly Waiting[], item: string): number {
  return waiting.findIndex((request) => request.item === item);
}
