/**
 * Which campaigns the charged slots of a credential belong to. It decides nothing: the window counts its closes itself,
 * and this only shows people who used them. Closes that belong to no campaign here are jobs of others, or were handed
 * on by a budget that did not know.
 *
 * The memo has one number for each close, the index of its campaign, because it is written with every submission.
 * Rejected: owners inside the window, whose arithmetic has to be exact, and counting from the ledger, which every
 * machine has for itself.
 */
import { USUAL_PRIORITY, type Standing } from '../domain/campaign.ts';
import { standingIn } from './lanes.ts';
import type { Request } from './request.ts';
import { GUARD_MS, countingCloses, firstAfter, type Window, type Charges } from './window.ts';

/** What one campaign has charged to one credential. */
interface Use {
  /** As in the campaign's last request. */
  standing: Standing;
  /** Ascending, in ms. Those that count now are among the closes of the window. */
  closes: number[];
}

/** By campaign. */
export type Uses = Record<string, Use>;

interface Used {
  readonly uses: Uses;
  readonly window: Window;
}

/** A slot was given to this request. */
export function noteGranted({ uses }: Used, request: Request): void {
  const { closes = [] } = uses[request.campaign] ?? {};
  uses[request.campaign] = { standing: standingIn(request), closes };
}

/**
 * The slot of this request is charged from `now` on. Without a limit nothing is counted. `busy`: campaigns with a
 * submission on its way; they are remembered as well as those whose jobs count.
 */
export function noteCharged(
  of: Used,
  request: Request,
  busy: ReadonlySet<string>,
  now: number,
): void {
  const { window } = of;
  if (window.limit === null) return;
  noteGranted(of, request);
  for (const [campaign, use] of Object.entries(of.uses)) {
    if (campaign === request.campaign) use.closes.push(now);
    const since = now - window.windowMs - GUARD_MS;
    // The clock may have been set back.
    if ((use.closes.at(-2) ?? now) > now) use.closes.sort((a, b) => a - b);
    use.closes.splice(0, firstAfter(use.closes, since));
    if (use.closes.length > 0 || busy.has(campaign)) continue;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
    delete of.uses[campaign];
  }
}

/** As it is written into the memo: small, because each submission rewrites it. */
export interface UseSnapshot {
  readonly users: readonly ({ readonly campaign: string } & Standing)[];
  /** For each close of the snapshot's window the index of its user; -1 where it belongs to none. */
  readonly owners: readonly number[];
}

/** `closes`: those that count at `at`, ascending. `busy`: campaigns with a submission on its way. */
export function useSnapshot(
  { uses, window }: Used,
  closes: readonly number[],
  busy: ReadonlySet<string>,
  at: number,
): UseSnapshot {
  const users: ({ campaign: string } & Standing)[] = [];
  const closesOf: (readonly number[])[] = [];
  for (const [campaign, use] of Object.entries(uses)) {
    const counting = countingCloses({ ...window, closes: use.closes }, at);
    if (counting === 0 && !busy.has(campaign)) continue;
    closesOf.push(use.closes.slice(use.closes.length - counting));
    users.push({ campaign, ...use.standing });
  }
  return { users, owners: ownersOf(closes, closesOf) };
}

/** For each of the closes the first user who has one at this time, each of theirs once; all ascending. */
function ownersOf(
  closes: readonly number[],
  closesOf: readonly (readonly number[])[],
): readonly number[] {
  const next = closesOf.map(() => 0);
  const isOwner = (own: readonly number[], user: number, close: number): boolean => {
    let index = next[user] ?? 0;
    while ((own[index] ?? close) < close) index += 1;
    const found = own[index] === close;
    next[user] = found ? index + 1 : index;
    return found;
  };
  return closes.map((close) => closesOf.findIndex((own, user) => isOwner(own, user, close)));
}

/** Who uses the slots of a budget at one moment, and who waits for them: a line for each campaign and credential. */

export interface CampaignUse {
  /** null: jobs that belong to no campaign of this budget, of other users of the token for instance. */
  readonly campaign: string | null;
  /** Who started it, where that is known. */
  readonly user: string | null;
  readonly credential: string;
  /** Slots of the current window, submissions on their way included; without a limit only these. */
  readonly charged: number;
  /** Rows that have no slot yet. */
  readonly waiting: number;
  readonly priority: number;
  readonly paused: boolean;
}

/** The parts of a budget's snapshot that it is derived from. */
interface Snapshot {
  readonly credentials: readonly CredentialSnapshot[];
  readonly waiting: readonly LaneSnapshot[];
  readonly outstanding: readonly {
    readonly campaign: string;
    readonly credential: string;
    readonly notBefore: number;
  }[];
}

interface CredentialSnapshot extends Charges {
  readonly credential: string;
  readonly use: UseSnapshot;
}

interface LaneSnapshot extends Standing {
  readonly campaign: string;
  readonly credential: string;
  readonly items: number;
  readonly paused: boolean;
}

/** By credential; in each those with most slots first. */
export function describeUse(snapshot: Snapshot, now: number): CampaignUse[] {
  return snapshot.credentials.flatMap((credential) => {
    const uses = usesOf(snapshot, credential, now);
    return uses.sort((a, b) => b.charged - a.charged || b.waiting - a.waiting);
  });
}

function usesOf(snapshot: Snapshot, of: CredentialSnapshot, now: number): CampaignUse[] {
  const { credential, use } = of;
  const lanes = snapshot.waiting.filter((lane) => lane.credential === credential);
  const begun = snapshot.outstanding
    .filter((grant) => grant.credential === credential && grant.notBefore <= now)
    .map(({ campaign }) => campaign);
  const counting = countingCloses({ ...of, closes: [...of.closes] }, now);
  const owners = counting === 0 ? [] : use.owners.slice(-counting);
  const charged = (campaign: string): number => {
    const index = use.users.findIndex((user) => user.campaign === campaign);
    const closed = index < 0 ? 0 : owners.filter((owner) => owner === index).length;
    return closed + begun.filter((name) => name === campaign).length;
  };
  const named = [...lanes, ...use.users].map(({ campaign }) => campaign);
  const lines = [...new Set([...named, ...begun])].map((campaign) => {
    const own = lanes.filter((one) => one.campaign === campaign);
    const [lane] = own;
    const user = use.users.find((one) => one.campaign === campaign);
    return {
      campaign,
      credential,
      charged: charged(campaign),
      waiting: own.reduce((sum, { items }) => sum + items, 0),
      ...standingIn(lane ?? user ?? UNKNOWN),
      paused: lane?.paused ?? false,
    };
  });
  const known = lines.filter((line) => line.charged > 0 || line.waiting > 0);
  const unknown = counting - owners.filter((owner) => owner >= 0).length;
  return unknown > 0 ? [...known, nobodys(credential, unknown)] : known;
}

function nobodys(credential: string, charged: number): CampaignUse {
  return { campaign: null, credential, charged, waiting: 0, ...UNKNOWN, paused: false };
}

const UNKNOWN: Standing = { priority: USUAL_PRIORITY, user: null };
