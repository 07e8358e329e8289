/** Jobs that were submitted by other means: which ones a service has for our token, and how they become items of a campaign. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { revealSecrets, type ServiceSettings } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import {
  isObjectAddress,
  resolveAddress,
  buildAddress,
  PREPARED_CAMPAIGN,
  WORK_AREA,
} from '../store/layout.ts';
import type { Kind, ServiceName } from '../domain/campaign.ts';
import type { PastJob } from '../domain/outcomes.ts';
import { ID, isUsableId } from '../domain/name.ts';
import { createClient, findService, findServiceOfKind, listKindsOf } from '../services/registry.ts';
import { type HolderOfJob, listFolderJobs } from '../store/jobs-in-tree.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';
import {
  type LocalName,
  createLocalSettings,
  chooseRecord,
  serveLocally,
} from '../temporal/host/local.ts';
import { readRecord, tryLock } from '../temporal/host/folder.ts';
import type { Campaign } from './campaign.ts';
import { chooseServices } from './intake.ts';
import { readStartSettings } from './session.ts';
import { startCampaign, type StartOptions } from './start.ts';

/** A service, and the folder that may have some of its jobs already. */
interface ListRequest {
  readonly service: ServiceName;
  readonly settings: Settings;
  /** Services of this project, on this machine, in place of configured ones. */
  readonly local: LocalName | null;
  /** The folder of the campaigns. */
  readonly folder: string;
}

interface Adoption extends ListRequest {
  /** The campaign. */
  readonly name: string;
  /** The kind of all jobs; null if the service has to say it. */
  readonly kind: Kind | null;
}

/** The same order goes on with the same campaign, and other jobs become new rows of it. */
export function chooseAdoptedName(service: ServiceName): string {
  return `adopted-${service}`;
}

/** @throws HundredfoldError `ADOPT_REFUSED` */
function checkAdoption({ service, kind }: Adoption, ids: readonly string[]): void {
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

/** @throws HundredfoldError `ADOPT_REFUSED` */
async function findNamedJobs(
  order: Adoption,
  ids: readonly string[],
): Promise<readonly AdoptedRow[]> {
  const { service, folder, name } = order;
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
  return [...rows, ...(unclear.length === 0 ? [] : await findJobs(order, unclear))];
}

/** Jobs whose kind is unknown: each list of past results is of one kind (contract 4.7). */
async function findJobs(order: Adoption, ids: readonly string[]): Promise<readonly AdoptedRow[]> {
  const { jobs, notes } = await listRemoteJobs(order);
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

export interface ListedJob extends PastJob {
  /** The item of this folder that has the job; null when none has. */
  readonly here: HolderOfJob | null;
}

export interface RemoteJobs {
  readonly jobs: readonly ListedJob[];
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
  /** The service, or a part of its list, was unavailable: the list may be incomplete. */
  readonly incomplete: boolean;
}

/** For one list; a user waits for it. */
const TIMEOUT_MS = 60_000;

/** The jobs that the service has for our token, and which of them the folder has. */
export async function listRemoteJobs({
  service,
  settings,
  local,
  folder,
}: ListRequest): Promise<RemoteJobs> {
  const needed = new Set([service]);
  const [chosen] = chooseServices(settings, { local, needed, who: '`hundredfold adopt`' });
  if (!chosen) throw new Error(`${service} is configured, and has no settings`);
  if (!local) return listJobs(chosen, folder);
  return withLocalServices(settings.embeddedDir, local, async (running) => {
    const own = running.find(({ reference }) => reference.service === service) ?? chosen;
    return listJobs(own, folder);
  });
}

async function listJobs(settings: ServiceSettings, folder: string): Promise<RemoteJobs> {
  const { service } = settings.reference;
  const { url, config } = settings;
  const client = createClient({ service, url, config, secrets: revealSecrets(settings) });
  const { jobs: here, unreadable } = await listFolderJobs(folder, service);
  const jobs: ListedJob[] = [];
  const notes: string[] = [...unreadable];
  let incomplete = false;
  try {
    for (const kind of listKindsOf(findService(service))) {
      const outcome = await client.list(kind, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (outcome.type !== 'listed') {
        notes.push(outcome.message);
        incomplete ||= outcome.type === 'unavailable';
        continue;
      }
      jobs.push(...outcome.jobs.map((job) => ({ ...job, here: here.get(job.remoteId) ?? null })));
    }
  } finally {
    await client.close();
  }
  return { jobs, notes, incomplete };
}

/** @param dir of the embedded server: its host runs the services as well; without a host they are started here. */
async function withLocalServices<T>(
  dir: string,
  name: LocalName,
  use: (settings: readonly ServiceSettings[]) => Promise<T>,
): Promise<T> {
  const lock = tryLock(dir);
  if (lock === null) {
    const { port = 0, id } = readRecord(dir, chooseRecord(name)) ?? {};
    return use(createLocalSettings(name, `http://127.0.0.1:${port}`, id));
  }
  try {
    const { services, settings } = await serveLocally(dir, name);
    try {
      return await use(settings);
    } finally {
      await services.close();
    }
  } finally {
    lock.release();
  }
}

function toRow({ kind, remoteId, jobName }: ListedJob): AdoptedRow {
  const title = jobName === null ? {} : { title: jobName };
  return { ...toId(remoteId), kind, remote_id: remoteId, ...title };
}

/** The job's id names the item if it is valid as a folder name; otherwise the row gets an id from its line number. */
function toId(remoteId: string): { readonly id?: string } {
  return ID.test(remoteId) ? { id: remoteId } : {};
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

/** How jobs are adopted. Without `name`, the campaign is named after the service. */
export interface AdoptOptions extends Omit<StartOptions, 'allowOutside' | 'skipInvalid'> {
  /** The kind of all jobs; needed if the service does not report it. */
  readonly kind?: Kind;
}

/**
 * Starts a campaign whose items are jobs that were submitted by other means (docs/adopting.md): their results are
 * fetched and checked, and nothing is submitted. Calling it again with the same jobs resumes that campaign.
 *
 * @param service - the service that has the jobs
 * @param jobs - their ids
 * @throws HundredfoldError `ADOPT_*`, `CAMPAIGN_DIFFERS`, and everything that `startCampaign()` throws
 */
export async function adopt(
  service: ServiceName,
  jobs: readonly string[],
  options: AdoptOptions = {},
): Promise<Campaign> {
  const settings = readStartSettings(options);
  const { kind = null, name = chooseAdoptedName(service), out = settings.storeUrl } = options;
  const folder = resolveAddress(out);
  const order = { service, settings, local: options.services ?? null, folder, name, kind };
  checkAdoption(order, jobs);
  const tree = buildAddress(folder, name);
  await addAdopted(tree, await findNamedJobs(order, [...new Set(jobs)]));
  const start = (manifest: string) => startCampaign(manifest, { ...options, name });
  if (isObjectAddress(tree)) return withLocalCopy(tree, start);
  return start(buildAddress(tree, ADOPTED_MANIFEST));
}
