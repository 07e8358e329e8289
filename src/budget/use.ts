/**
 * Which campaigns the charged slots of a credential belong to. It decides nothing: the window counts its closes itself,
 * and this only shows people who used them. Closes that belong to no campaign here are jobs of others, or were handed
 * on by a budget that did not know.
 *
 * The memo has one number for each close, the index of its campaign, because it is written with every submission.
 * Rejected: owners inside the window, whose arithmetic has to be exact, and counting from the ledger, which every
 * machine has for itself.
 */
import type { Standing } from '../domain/campaign.ts';
import type { Request } from './request.ts';
import { GUARD_MS, countingCloses, firstAfter, type Window } from './window.ts';

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
  uses?: Uses;
  readonly window: Window;
}

/** What the requests of a campaign say about its share and priority. */
export function standingIn({ weight, priority, reserve, user }: Standing): Standing {
  return {
    weight,
    ...(priority !== undefined && { priority }),
    ...(reserve !== undefined && { reserve }),
    ...(user !== undefined && { user }),
  };
}

/** A slot was given to this request. */
export function noteGranted(of: Used, request: Request): void {
  const uses = (of.uses ??= {});
  (uses[request.campaign] ??= { standing: { weight: 1 }, closes: [] }).standing =
    standingIn(request);
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
  for (const [campaign, use] of Object.entries(of.uses ?? {})) {
    if (campaign === request.campaign) use.closes.push(now);
    const since = now - window.windowMs - GUARD_MS;
    // The clock may have been set back.
    if ((use.closes.at(-2) ?? now) > now) use.closes.sort((a, b) => a - b);
    use.closes.splice(0, firstAfter(use.closes, since));
    if (use.closes.length > 0 || busy.has(campaign)) continue;
    delete of.uses?.[campaign];
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
  { uses = {}, window }: Used,
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
