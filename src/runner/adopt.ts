/** The use case of `adopt`: which jobs become items, and of which campaign. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { type Kind, type ServiceName, isFinal } from '../domain/item.ts';
import { ID, isUsableId } from '../domain/name.ts';
import { isObjectAddress } from '../domain/addresses.ts';
import type { LocalName } from '../temporal/host/local-settings.ts';
import { listKindsOf, findService, findServiceOfKind } from '../services/registry.ts';
import { listFolderJobs, type JobsInFolder, listNames } from '../store/jobs-in-tree.ts';
import { resolveAddress, buildAddress, PREPARED_CAMPAIGN, WORK_AREA } from '../store/layout.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';
import type { Campaign } from './campaign.ts';
import { type ListedJob, listRemoteJobs, type RemoteJobs, withServices } from './remote-jobs.ts';
import { readSettings } from './session.ts';
import { startCampaign, type StartOptions } from './start.ts';

interface Adoption {
  readonly service: ServiceName;
  readonly settings: Settings;
  /** Services of this project, in place of configured ones. */
  readonly local: LocalName | null;
  /** The folder of the campaigns. */
  readonly folder: string;
  /** The campaign; null for the one that `adopt` names. */
  readonly name: string | null;
  /** The kind of all jobs; null if the service has to say it. */
  readonly kind: Kind | null;
}

interface AdoptedJobs {
  readonly name: string;
  readonly rows: readonly AdoptedRow[];
}

/** What was found in the list of the past jobs of a token. */
export interface PastJobs {
  /** null: there is nothing to adopt. */
  readonly adopted: AdoptedJobs | null;
  /** Jobs in the list. */
  readonly listed: number;
  /** Those that the folder has already. */
  readonly here: number;
  /** Those that failed at the service, and are skipped. */
  readonly failed: number;
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
  readonly fresh: number;
}

/** Which jobs: those with these ids, or all past ones of the token. */
interface JobsToAdopt {
  readonly ids: readonly string[] | 'past';
  /** Called with what was found among the past jobs. */
  readonly onPast?: (found: PastJobs) => void;
}

/**
 * Writes the rows of the jobs into the campaign's tree, and passes the manifest that they make.
 * @returns null when there is nothing to adopt
 * @throws HundredfoldError `ADOPT_*`, `CAMPAIGN_DIFFERS`
 */
export async function adoptJobs<T>(
  order: Adoption,
  { ids, onPast }: JobsToAdopt,
  start: (manifest: string, name: string) => Promise<T>,
): Promise<T | null> {
  checkAdoption(order, ids === 'past' ? [] : ids);
  const past = ids === 'past' ? await listPastJobs(order) : null;
  if (past) onPast?.(past);
  const jobs = ids === 'past' ? past?.adopted : await adoptNamedJobs(order, [...new Set(ids)]);
  if (!jobs) return null;
  const tree = buildAddress(order.folder, jobs.name);
  await addAdopted(tree, jobs.rows);
  const startWith = (manifest: string): Promise<T> => start(manifest, jobs.name);
  if (isObjectAddress(tree)) return withLocalCopy(tree, startWith);
  return startWith(buildAddress(tree, ADOPTED_MANIFEST));
}

/** @throws HundredfoldError `ADOPT_REFUSED`, `ADOPT_REFUSED` */
function checkAdoption(
  { service, kind }: Pick<Adoption, 'service' | 'kind'>,
  ids: readonly string[],
): void {
  if (kind !== null && findServiceOfKind(kind).name !== service) {
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `${kind} is not a kind of the service ${service}`,
      `Its kinds are ${listKindsOf(findService(service)).join(', ')}.`,
    );
  }
  const bad = ids.filter((id) => !isUsableId(id));
  if (bad.length > 0) {
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `${bad
        .slice(0, 3)
        .map((id) => JSON.stringify(id))
        .join(', ')} cannot be the id of a job`,
      'Give only the request_id or hash_id, without the rest of its URL.',
    );
  }
}

/**
 * Jobs by their ids. The same order continues the campaign that has one of them.
 * @throws HundredfoldError `ADOPT_REFUSED`
 */
async function adoptNamedJobs(order: Adoption, ids: readonly string[]): Promise<AdoptedJobs> {
  const { service, folder } = order;
  const has = (rows: readonly AdoptedRow[]): boolean =>
    rows.some(({ remote_id: id }) => ids.includes(id));
  const name = order.name ?? (await findFormerCampaign(order, has)) ?? createName(service);
  const former = new Map(
    (await readAdopted(buildAddress(folder, name))).map((row) => [row.remote_id, row] as const),
  );
  const [only, ...others] = listKindsOf(findService(service));
  const kind = order.kind ?? (others.length === 0 ? only : undefined);
  const rows = ids.flatMap((id): AdoptedRow[] => {
    const known = kind ?? former.get(id)?.kind;
    return known === undefined ? [] : [{ ...toId(id), kind: known, remote_id: id }];
  });
  const unclear = ids.filter((id) => !rows.some(({ remote_id: known }) => known === id));
  return { name, rows: [...rows, ...(unclear.length === 0 ? [] : await findJobs(order, unclear))] };
}

/** Jobs whose kind is unknown: each list of past results is of one kind (contract 4.7). */
async function findJobs(order: Adoption, ids: readonly string[]): Promise<readonly AdoptedRow[]> {
  const { jobs, notes } = await listJobs(order);
  const found = jobs.filter(({ remoteId }) => ids.includes(remoteId));
  const missing = ids.filter((id) => !found.some(({ remoteId }) => remoteId === id));
  if (missing.length > 0) {
    const shown = missing.slice(0, 3).join(', ') + (missing.length > 3 ? ', …' : '');
    const why = notes.length > 0 ? ` (${notes.join('; ')})` : '';
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `the past results of your token do not have ${shown}${why}: its kind is not known`,
      `Set it with --kind (${listKindsOf(findService(order.service)).join(', ')}), in one command per kind.`,
    );
  }
  return found.map(toRow);
}

/**
 * Every job that the service still has and this folder does not.
 * @throws HundredfoldError `ADOPT_LIST_UNAVAILABLE`, `ADOPT_REFUSED`
 */
async function listPastJobs(order: Adoption): Promise<PastJobs> {
  const { service, folder, kind } = order;
  const list = await listJobs(order);
  checkList(order, list);
  const jobsHere = await listFolderJobs(folder, service);
  const isOpen = (rows: readonly AdoptedRow[]): boolean =>
    rows.some((row) => !hasEnded(row, jobsHere));
  const name = order.name ?? (await findFormerCampaign(order, isOpen)) ?? createName(service);
  const own = new Set((await readAdopted(buildAddress(folder, name))).map((row) => row.remote_id));
  const wanted = list.jobs.filter((job) => kind === null || job.kind === kind);
  const absent = wanted.filter(({ remoteId, here }) => !own.has(remoteId) && here === null);
  const fresh = absent.filter((job) => !isFailed(job) && isUsableId(job.remoteId));
  const nothing = fresh.length === 0 && own.size === 0;
  return {
    adopted: nothing ? null : { name, rows: fresh.map(toRow) },
    listed: wanted.length,
    here: wanted.length - absent.length,
    failed: absent.filter(isFailed).length,
    fresh: fresh.length,
    notes: list.notes,
  };
}

function checkList({ service }: Adoption, { jobs, notes, incomplete }: RemoteJobs): void {
  if (incomplete) {
    throw new HundredfoldError(
      'ADOPT_LIST_UNAVAILABLE',
      `the past results of ${service} could not be read: ${notes.join('; ')}`,
      'Nothing was started. Try again when the service answers: hundredfold doctor.',
    );
  }
  if (jobs.length > 0 || !('missing' in findService(service).list)) return;
  throw new HundredfoldError(
    'ADOPT_REFUSED',
    `--past is not possible here: ${notes.join('; ')}`,
    `Name the jobs: hundredfold adopt ${service} ID…`,
  );
}

function isFailed({ state }: ListedJob): boolean {
  return state?.toUpperCase() === 'FAILED';
}

function hasEnded({ remote_id: id }: AdoptedRow, { jobs }: JobsInFolder): boolean {
  const holder = jobs.get(id);
  return holder !== undefined && isFinal(holder.state);
}

async function listJobs({ service, local, settings, folder }: Adoption): Promise<RemoteJobs> {
  const wanted = { services: new Set([service]), local, who: '`hundredfold adopt`' };
  return withServices(settings, wanted, (known) => listRemoteJobs(known, folder));
}

function toRow({ kind, remoteId, jobName }: ListedJob): AdoptedRow {
  const title = jobName === null ? {} : { title: jobName };
  return { ...toId(remoteId), kind, remote_id: remoteId, ...title };
}

/** The job's id names the item if it is valid as a folder name; otherwise the row gets an id from its line number. */
function toId(remoteId: string): { readonly id?: string } {
  return ID.test(remoteId) ? { id: remoteId } : {};
}

/** With today's date in local time. */
function createName(service: ServiceName): string {
  return `adopted-${service}-${new Intl.DateTimeFormat('sv-SE').format(new Date())}`;
}

/** The newest campaign that was named here and that fits: the same order resumes it, also on another day. */
async function findFormerCampaign(
  { service, folder }: Adoption,
  fits: (rows: readonly AdoptedRow[]) => boolean,
): Promise<string | null> {
  const named = new RegExp(`^adopted-${service}-\\d{4}-\\d\\d-\\d\\d$`);
  const names = (await listNames(folder)).filter((name) => named.test(name));
  for (const name of names.reverse()) {
    if (fits(await readAdopted(buildAddress(folder, name)))) return name;
  }
  return null;
}

/** JSON, because names of jobs are the service's: nothing in them has to be quoted. */
const ADOPTED_MANIFEST = `${WORK_AREA}adopted.jsonl`;

interface AdoptedRow {
  readonly id?: string | undefined;
  readonly kind: Kind;
  readonly remote_id: string;
  readonly title?: string | undefined;
}

const row = z.object({
  id: z.string().optional(),
  kind: z.string(),
  remote_id: z.string(),
  title: z.string().optional(),
});

/** Empty if there is none; creates no folder. @throws HundredfoldError `ADOPT_REFUSED` */
async function readAdopted(tree: string): Promise<readonly AdoptedRow[]> {
  const text = (await (await openStoreIfAny(tree))?.readText(ADOPTED_MANIFEST)) ?? '';
  try {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => row.parse(JSON.parse(line)));
  } catch (cause) {
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `${buildAddress(tree, ADOPTED_MANIFEST)} was changed or damaged and cannot be read`,
      'Correct the file, or adopt the jobs into another campaign with --name.',
      { cause },
    );
  }
}

/**
 * Adds the rows that are not there yet; of those that are, the newest kind and title count.
 * @param tree the campaign's output tree, made if it is missing
 * @throws HundredfoldError `CAMPAIGN_DIFFERS`: the tree is that of a campaign with a manifest of the user's
 */
async function addAdopted(tree: string, rows: readonly AdoptedRow[]): Promise<void> {
  const former = await readAdopted(tree);
  const there = await openStoreIfAny(tree);
  if (former.length === 0 && (await there?.exists(PREPARED_CAMPAIGN)) === true) {
    throw new HundredfoldError(
      'CAMPAIGN_DIFFERS',
      `the campaign in ${tree} has a manifest of its own, which \`adopt\` does not change`,
      'Add rows with a remote_id to its manifest, or choose another name with --name.',
    );
  }
  const all = new Map(former.map((one) => [one.remote_id, one]));
  for (const one of rows) all.set(one.remote_id, { ...all.get(one.remote_id), ...one });
  const text = Array.from(all.values(), (one) => `${JSON.stringify(one)}\n`).join('');
  await (await openStore(tree)).write(ADOPTED_MANIFEST, text);
}

/** Manifests are files: that of a tree in a bucket is copied to the disk while `use` runs. */
async function withLocalCopy<T>(tree: string, use: (manifest: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-adopted-'));
  try {
    const manifest = join(folder, basename(ADOPTED_MANIFEST));
    const text = await (await openStore(tree)).readText(ADOPTED_MANIFEST);
    await writeFile(manifest, text ?? '', { mode: 0o600 });
    return await use(manifest);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How jobs are adopted. Without `name`, the campaign is named after the service and today's date. */
export interface AdoptOptions extends Omit<StartOptions, 'allowOutside' | 'skipInvalid'> {
  /** The kind of all jobs; needed if the service does not report it. */
  readonly kind?: Kind;
}

/**
 * Starts a campaign whose items are jobs that were submitted by other means (docs/adopting.md): their results are
 * fetched and checked, and nothing is submitted. Calling it again with the same jobs resumes that campaign.
 *
 * @param service - the service that has the jobs
 * @param jobs - their ids, or `past` for all that the service still lists for the token
 * @returns the campaign; null when the output folder already has all jobs that `past` finds
 * @throws HundredfoldError `ADOPT_*`, `CAMPAIGN_DIFFERS`, and everything that `startCampaign()` throws
 */
export async function adopt(
  service: ServiceName,
  jobs: readonly string[] | 'past',
  options: AdoptOptions = {},
): Promise<Campaign | null> {
  if (jobs.length === 0)
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      'give either the ids of the jobs or --past',
      `hundredfold adopt ${service} ID…   or   hundredfold adopt ${service} --past`,
    );
  const settings = readSettings(options);
  const { kind = null, name = null, out = settings.storeUrl } = options;
  const local = options.services ?? null;
  const order = { service, settings, local, folder: resolveAddress(out), name, kind };
  return adoptJobs(order, { ids: jobs }, (manifest, campaign) =>
    startCampaign(manifest, { ...options, name: campaign }),
  );
}
