/**
 * Which campaigns the charged slots of a credential belong to, and who waits for them. It decides nothing: each close has
 * its campaign, for people. Closes without one are jobs of others, or so many that campaigns were left out (policy.ts).
 */
import { USUAL_PRIORITY, type Standing } from '../domain/campaign.ts';
import { standingIn } from './lanes.ts';
import { countJobs, counting, type Close, type Window } from './policy.ts';
import type { Request } from './request.ts';

/** By campaign, as in its last request. */
export type Users = Record<string, Standing>;

/** A slot was given to this request. */
export function noteUser(users: Users, request: Request): void {
  users[request.campaign] = standingIn(request);
}

/** Forgets those without a close. `busy`: campaigns with a submission on its way. */
export function forgetUsers(
  users: Users,
  closes: readonly Close[],
  busy: ReadonlySet<string>,
): void {
  const charged = new Set(closes.map(([, , campaign]) => campaign));
  for (const campaign of Object.keys(users)) {
    if (charged.has(campaign) || busy.has(campaign)) continue;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
    delete users[campaign];
  }
}

/** A campaign with its closes, as written into the memo: small, because each submission rewrites it. */
export interface UserSnapshot extends Standing {
  /** null: of no campaign here. */
  readonly campaign: string | null;
  readonly closes: readonly (readonly [at: number, jobs: number])[];
}

export function snapshotUsers(users: Users, closes: readonly Close[]): UserSnapshot[] {
  const byCampaign = Map.groupBy(closes, ([, , campaign]) => campaign);
  const named = [...new Set([...byCampaign.keys(), ...Object.keys(users)])];
  return named.map((campaign) => ({
    campaign,
    ...standingIn((campaign !== null && users[campaign]) || UNKNOWN),
    closes: (byCampaign.get(campaign) ?? []).map(([at, jobs]) => [at, jobs] as const),
  }));
}

/** The closes of all users, ascending. */
export function closesOf(users: readonly UserSnapshot[]): Close[] {
  return users
    .flatMap(({ campaign, closes }) => closes.map(([at, jobs]) => [at, jobs, campaign] as const))
    .sort(([a], [b]) => a - b);
}

/** A campaign that uses the slots of a budget at one moment, or waits for them. */
export interface CampaignUse {
  /** null: jobs that belong to no campaign of this budget, of other users of the token for instance. */
  readonly campaign: string | null;
  /** Who started it, where that is known. */
  readonly user: string | null;
  /** Slots of the window that leaves the least, submissions on their way included; without a limit only these. */
  readonly charged: number;
  /** Rows that have no slot yet. */
  readonly waiting: number;
  readonly priority: number;
  readonly paused: boolean;
}

/** The parts of a budget's snapshot that it is derived from. */
interface Snapshot {
  readonly waiting: readonly LaneSnapshot[];
  readonly outstanding: readonly { readonly campaign: string; readonly notBefore: number }[];
  readonly users: readonly UserSnapshot[];
}

interface LaneSnapshot extends Standing {
  readonly campaign: string;
  readonly items: number;
  readonly paused: boolean;
}

/** Those with most slots first. `window`: in which closes are counted; null without a limit. */
export function describeUse(
  { waiting: lanes, outstanding, users }: Snapshot,
  window: Window | null,
  now: number,
): CampaignUse[] {
  const begun = outstanding
    .filter(({ notBefore }) => notBefore <= now)
    .map(({ campaign }) => campaign);
  const charged = (campaign: string | null): number => {
    const closes = closesOf(users.filter((user) => user.campaign === campaign));
    const jobs = window ? countJobs(counting(window, { inFlight: 0, closes }, now)) : 0;
    return jobs + begun.filter((name) => name === campaign).length;
  };
  const named = [...lanes, ...users].map(({ campaign }) => campaign);
  const lines = [...new Set([...named, ...begun])].map((campaign) => {
    const own = lanes.filter((one) => one.campaign === campaign);
    const [lane] = own;
    const user = users.find((one) => one.campaign === campaign);
    return {
      campaign,
      charged: charged(campaign),
      waiting: own.reduce((sum, { items }) => sum + items, 0),
      ...standingIn(lane ?? user ?? UNKNOWN),
      paused: lane?.paused ?? false,
    };
  });
  return lines
    .filter((line) => line.charged > 0 || line.waiting > 0)
    .sort((a, b) => b.charged - a.charged || b.waiting - a.waiting);
}

const UNKNOWN: Standing = { priority: USUAL_PRIORITY, user: null };
