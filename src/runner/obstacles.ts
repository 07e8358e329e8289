/** What blocks a campaign until the user acts. Without this, it would only seem slow. */
import { constants, type StatsFs } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { NOT_YET } from '../activities/retry.ts';
import { type BudgetStatus, nameBudget } from '../budget/status.ts';
import { ENGINES } from '../config/services.ts';
import { type CampaignProgress, findServiceOfLane } from '../domain/campaign.ts';
import { COMPARE_ANEW } from '../domain/engines.ts';
import { formatClock } from '../domain/units.ts';
import { isObjectAddress } from '../store/layout.ts';
import type { Session } from '../temporal/host/session.ts';
import { checkTreeId, isHeldBy, readNewestLease, createTreeLeasedError } from '../store/lease.ts';
import { openStore } from '../store/open-store.ts';
import { findFirstExisting } from '../state.ts';
import { StoreError, toStoreError } from '../store/store.ts';
import { identifyCluster } from '../temporal/tree-holder.ts';

/** Less than any table or result needs; a partial write is removed when the disk is full. */
const FULL_BYTES = 1024 * 1024;
/** An item's folder holds up to 30 files. */
const FULL_FILES = 30;

type Found = Pick<WorkflowExecutionDescription, 'raw' | 'memo'>;

/** A sentence with what to do; null if no obstacle is visible from here. */
export async function findObstacle(
  { client, role }: Pick<Session, 'client' | 'role'>,
  folder: string,
  found: Found,
): Promise<string | null> {
  const obstacle = (await findFullDisk(folder)) ?? describeFailing(found);
  // Workers of a Temporal elsewhere may have the tree where we do not, and items that wait for it say so.
  if (obstacle !== null || role === 'remote') return obstacle;
  const fault = await findTreeFault(client, folder, found);
  return fault && `${fault.message} ${fault.remedy}`;
}

/** The campaign itself only reads pages of items and publishes. Items do their work in their own workflows. */
export function describeFailing({ raw }: Pick<Found, 'raw'>): string | null {
  const failing = findFailure(raw);
  return failing && `${failing.activity} keeps failing and is retried: ${failing.message}`;
}

/**
 * Why an activity of a workflow is tried again, with what to do, if the program knows; null if none is, or if it only was
 * too early.
 */
export function findFailure(raw: Found['raw']) {
  for (const { activityType, lastFailure } of raw.pendingActivities ?? []) {
    const { applicationFailureInfo: info, message } = lastFailure ?? {};
    // A time limit that has passed has no such part: a worker that died is told elsewhere.
    if (!info || info.type === NOT_YET || !message) continue;
    return { activity: activityType?.name ?? 'An activity', message };
  }
  return null;
}

/** A sentence with what to do; null if the disk of the folder has room, or is not visible from here. */
export async function findFullDisk(folder: string): Promise<string | null> {
  if (isObjectAddress(folder)) return null;
  // It may be on another machine, or not exist yet.
  const disk = await statfs(folder).catch(() => null);
  const lacking = disk === null ? null : findDiskLacking(disk);
  if (lacking === null) return null;
  return `The disk of ${folder} is full${lacking}. Free some space: the campaign then continues on its own.`;
}

/** What a disk lacks, in words that follow "is full"; null when there is room. */
export function findDiskLacking(
  disk: Pick<StatsFs, 'bavail' | 'bsize' | 'files' | 'ffree'>,
): string | null {
  if (disk.bavail * disk.bsize < FULL_BYTES) return '';
  // Some file systems (btrfs, most network ones) count no files, and say 0 of 0.
  if (disk.files > 0 && disk.ffree < FULL_FILES) return ': it has no free inodes';
  return null;
}

/**
 * Whether files can be created in a folder, or below the folder in which it would be created; nothing is written to find
 * that out. Returns the free space, in bytes.
 * @throws StoreError
 */
export async function checkFolder(folder: string): Promise<number> {
  const there = findFirstExisting(folder);
  try {
    if (!(await stat(there)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    await access(there, constants.W_OK);
  } catch (error) {
    throw toStoreError(error, `write in ${there}`);
  }
  const disk = await statfs(there);
  const lacking = findDiskLacking(disk);
  if (lacking === null) return disk.bavail * disk.bsize;
  throw new StoreError(
    'STORE_FULL',
    `the disk of ${folder} is full${lacking}`,
    'Free some space there, or choose another folder with --out or store.url.',
  );
}

/** In bytes: for the folder, or its nearest existing parent; null for a bucket, which has no limit. */
export async function readFreeSpace(folder: string): Promise<number | null> {
  if (isObjectAddress(folder)) return null;
  const { bavail, bsize } = await statfs(findFirstExisting(folder));
  return bavail * bsize;
}

/** `isElsewhere`: the tree was removed or replaced, or is leased to another Temporal. Any other: it cannot be read now. */
export async function findTreeFault(
  client: Client,
  folder: string,
  { memo }: Pick<Found, 'memo'>,
): Promise<StoreError | null> {
  const tree = memo?.['tree'];
  if (typeof tree !== 'string') return null;
  try {
    const store = await openStore(folder, { create: false });
    const lease = await readNewestLease(store);
    const { id } = await identifyCluster(client);
    if (lease && !lease.released && !isHeldBy(lease, { temporal: id }))
      throw createTreeLeasedError(store, lease.record);
    await checkTreeId(store, tree);
    return null;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

/** Null if nothing stands still, as in a campaign that has ended. */
export function explainStandstill(
  { budgets, progress }: { budgets: readonly BudgetStatus[]; progress: CampaignProgress },
  now: number,
): string | null {
  if (progress.state === 'completed' || progress.state === 'cancelled') return null;
  const words = [...describeRefusals(budgets, now), ...describePaused(progress)];
  return words.length === 0 ? null : words.join(' ');
}

/** `predictions has refused requests since 21:04:10 (POST …: HTTP 401: …).`; what follows from it is said once. */
export function describeRefusals(budgets: readonly BudgetStatus[], now: number): string[] {
  const facts: string[] = [];
  const advice = new Set<string>();
  for (const budget of budgets) {
    if (!budget.refusal) continue;
    const { since, reason } = budget.refusal;
    const refused = `${nameBudget(budget, budgets)} has refused requests`;
    facts.push(`${refused} since ${formatClock(since, now)} (${removeStop(reason)}).`);
    advice.add(findAdvice(reason));
  }
  if (facts.length === 0) return [];
  const follows = 'No item fails because of this, and submissions resume by themselves.';
  return [...facts, follows, ...advice];
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /HTTP 401/,
    'If the token has expired, put the new one where the configuration expects it, stop this command (Ctrl-C, or "hundredfold stop") and run "hundredfold run" again.',
  ],
  [
    /HTTP 407/,
    'A proxy requires a user name and a password: see HTTPS_PROXY in docs/configuration.md.',
  ],
  [
    /redirect|HTTP (404|405|426)/,
    'Check the address of the service: "hundredfold doctor" shows what answers there.',
  ],
  [
    /HTTP 403/,
    'Ask the operators of the service or of your network whether they block this machine.',
  ],
];

/** What to do about a refusal with these words. */
function findAdvice(reason: string): string {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? '"hundredfold doctor" checks it.';
}

function describePaused({ pausedServices = [], campaign }: CampaignProgress): string[] {
  return pausedServices.map(({ service, code, message, times }) => {
    const reason = `${code}: ${removeStop(message)}`;
    const resume = `"hundredfold resume ${campaign} --service ${findServiceOfLane(service)}" continues`;
    if (times === undefined) {
      const also = service.endsWith(`(${ENGINES})`) ? ' --also engines' : '';
      return (
        `The lane ${service} is paused, and the service computes the rest (${reason}). Install the engine of the service ` +
        `there. To see how results differ: ${COMPARE_ANEW}${also}. Then, or if that makes no difference to you, ${resume} there.`
      );
    }
    return (
      `${times} items of ${service} failed for the same reason (${reason}), so nothing more is submitted there. ` +
      `${resume} with the rest; "hundredfold cancel ${campaign}" ends the campaign.`
    );
  });
}

export function removeStop(words: string): string {
  return words.replace(/\.\s*$/, '');
}
