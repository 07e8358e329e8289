/** Who uses the slots of a budget at one moment, and who waits for them: a line for each campaign and credential. */
import { USUAL_PRIORITY, type Standing } from '../domain/campaign.ts';
import type { UseSnapshot } from './use.ts';
import { countingCloses, type Charges } from './window.ts';

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
  readonly share: number;
  readonly priority: number;
  readonly reserve: number;
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
  readonly use?: UseSnapshot;
}

interface LaneSnapshot extends Partial<Standing> {
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
  const { credential, use = { users: [], owners: [] } } = of;
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
      ...standingOf(lane ?? user ?? {}),
      paused: lane?.paused ?? false,
    };
  });
  const known = lines.filter((line) => line.charged > 0 || line.waiting > 0);
  const unknown = counting - owners.filter((owner) => owner >= 0).length;
  return unknown > 0 ? [...known, nobodys(credential, unknown)] : known;
}

function nobodys(credential: string, charged: number): CampaignUse {
  const of = { ...standingOf({}), paused: false };
  return { campaign: null, credential, charged, waiting: 0, ...of };
}

function standingOf({ user, weight, priority, reserve }: Partial<Standing>) {
  return {
    user: user ?? null,
    share: weight ?? 1,
    priority: priority ?? USUAL_PRIORITY,
    reserve: reserve ?? 0,
  };
}
