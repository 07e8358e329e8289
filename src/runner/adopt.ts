/** Jobs that were submitted by other means: which ones a service has for our token, and how they become items of a campaign. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { revealNetwork } from '../config/network.ts';
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
import { type LocalName, chooseRecord, serveLocally } from '../temporal/host/local.ts';
import { readRecord, tryLock } from '../temporal/host/folder.ts';
import type { Campaign } from './campaign.ts';
import { chooseServices, useLocalServices } from './intake.ts';
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

/** The same order goes on with the same campaign, and other jobs become new rows of it. */
export function chooseAdoptedName(service: ServiceName): string {
  return `adopted-${service}`;
}

/** @throws HundredfoldError `ADOPT_REFUSED` */
function checkAdoption(service: ServiceName, kind: Kind | undefined, ids: readonly string[]): void {
  if (kind !== undefined && findServiceOfKind(kind).name !== service)
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `${kind} is not a kind of the service ${service}`,
      `Its kinds are ${listKindsOf(findService(service)).join(', ')}.`,
    );
  const bad = ids.filter((id) => !isUsableId(id)).map((id) => JSON.stringify(id));
  if (bad.length > 0)
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `${bad.slice(0, 3).join(', ')} cannot be the id of a job`,
      'Give only the request_id or hash_id, without the rest of its URL.',
    );
}

/** @throws HundredfoldError `ADOPT_REFUSED` */
async function findNamedJobs(
  request: ListRequest,
  ids: readonly string[],
  findKind: (id: string) => Kind | undefined,
): Promise<readonly AdoptedRow[]> {
  const unclear = ids.filter((id) => findKind(id) === undefined);
  const listed = unclear.length === 0 ? [] : await findJobs(request, unclear);
  return ids.flatMap((remoteId) => {
    const kind = findKind(remoteId);
    const known = kind === undefined ? undefined : { kind, remoteId, jobName: null };
    const job = known ?? listed.find((one) => one.remoteId === remoteId);
    return job ? [toRow(job)] : [];
  });
}

/** Jobs whose kind is unknown: each list of past results is of one kind (contract 4.7). */
async function findJobs(
  request: ListRequest,
  ids: readonly string[],
): Promise<readonly ListedJob[]> {
  const { jobs, notes } = await listRemoteJobs(request);
  const found = jobs.filter(({ remoteId }) => ids.includes(remoteId));
  const missing = ids.filter((id) => !found.some(({ remoteId }) => remoteId === id));
  if (missing.length === 0) return found;
  const shown = missing.slice(0, 3).join(', ') + (missing.length > 3 ? ', …' : '');
  const why = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  throw new HundredfoldError(
    'ADOPT_REFUSED',
    `the past results of your token do not have ${shown}${why}: its kind is not known`,
    `Set it with --kind (${listKindsOf(findService(request.service)).join(', ')}), in one command per kind.`,
  );
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
export async function listRemoteJobs(request: ListRequest): Promise<RemoteJobs> {
  const { service, settings, local, folder } = request;
  const needed = new Set([service]);
  const [chosen] = chooseServices(useLocalServices(settings, local), {
    needed,
    who: '`hundredfold adopt`',
  });
  if (!chosen) throw new Error(`${service} is configured, and has no settings`);
  if (!local) return listJobs(chosen, chosen.url, folder);
  return withLocalServices(settings.embeddedDir, local, ({ port }) => {
    const site = Object.assign(new URL(chosen.url), { port: String(port) });
    return listJobs(chosen, site.href, folder);
  });
}

async function listJobs(
  { reference: { service }, config, network, ...settings }: ServiceSettings,
  url: string,
  folder: string,
): Promise<RemoteJobs> {
  const secrets = revealSecrets(settings);
  const client = createClient({ service, url, config, secrets, network: revealNetwork(network) });
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

/** As the host of the folder runs them; without a host, they run until the answer. */
async function withLocalServices<T>(
  dir: string,
  name: LocalName,
  use: (services: { readonly port: number }) => Promise<T>,
): Promise<T> {
  const lock = tryLock(dir);
  if (lock === null) return use({ port: readRecord(dir, chooseRecord(name))?.port ?? 0 });
  try {
    const { services } = await serveLocally(dir, name);
    try {
      return await use({ port: Number(new URL(services.url).port) });
    } finally {
      await services.close();
    }
  } finally {
    lock.release();
  }
}

/** The job's id names the item if it is valid as a folder name; otherwise the row gets an id from its line number. */
function toRow({
  kind,
  remoteId,
  jobName,
}: Pick<PastJob, 'kind' | 'remoteId' | 'jobName'>): AdoptedRow {
  const id = ID.test(remoteId) ? { id: remoteId } : {};
  return { ...id, kind, remote_id: remoteId, ...(jobName !== null && { title: jobName }) };
}

/** JSON, because names of jobs are the service's: nothing in them has to be quoted. */
const ADOPTED_MANIFEST = `${WORK_AREA}adopted.jsonl`;

const adoptedRow = z.object({
  id: z.string().exactOptional(),
  kind: z.string(),
  remote_id: z.string(),
  title: z.string().exactOptional(),
});
type AdoptedRow = Readonly<z.output<typeof adoptedRow>>;
type AdoptedRows = ReadonlyMap<string, AdoptedRow>;

/** By their ids; empty if there are none. Creates no folder. @throws HundredfoldError `ADOPT_REFUSED`, `CAMPAIGN_DIFFERS` */
async function readAdopted(tree: string): Promise<AdoptedRows> {
  const store = await openStoreIfAny(tree);
  const text = (await store?.readText(ADOPTED_MANIFEST)) ?? '';
  if (text === '' && (await store?.exists(PREPARED_CAMPAIGN)) === true)
    throw new HundredfoldError(
      'CAMPAIGN_DIFFERS',
      `the campaign in ${tree} has a manifest of its own, which \`adopt\` does not change`,
      'Add rows with a remote_id to its manifest, or choose another name with --name.',
    );
  try {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const rows = lines.map((line) => adoptedRow.parse(JSON.parse(line)));
    return new Map(rows.map((row) => [row.remote_id, row]));
  } catch (cause) {
    throw new HundredfoldError(
      'ADOPT_REFUSED',
      `${buildAddress(tree, ADOPTED_MANIFEST)} was changed or damaged and cannot be read`,
      'Correct the file, or adopt the jobs into another campaign with --name.',
      { cause },
    );
  }
}

/** Adds the rows that are not there yet; of those that are, the newest kind and title count. */
async function addAdopted(
  tree: string,
  former: AdoptedRows,
  rows: readonly AdoptedRow[],
): Promise<void> {
  const all = new Map(former);
  for (const row of rows) all.set(row.remote_id, { ...all.get(row.remote_id), ...row });
  const text = Array.from(all.values(), (row) => `${JSON.stringify(row)}\n`).join('');
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
  const { kind, name = chooseAdoptedName(service) } = options;
  // Kinds of plugins are known from now on.
  const settings = readStartSettings(options);
  checkAdoption(service, kind, jobs);
  const folder = resolveAddress(options.out ?? settings.storeUrl);
  const tree = buildAddress(folder, name);
  const former = await readAdopted(tree);
  const kinds = listKindsOf(findService(service));
  const only = kinds.length === 1 ? kinds[0] : undefined;
  const request = { service, settings, local: options.services ?? null, folder };
  const rows = await findNamedJobs(
    request,
    [...new Set(jobs)],
    (id) => kind ?? only ?? former.get(id)?.kind,
  );
  await addAdopted(tree, former, rows);
  const start = (manifest: string) => startCampaign(manifest, { ...options, name });
  if (isObjectAddress(tree)) return withLocalCopy(tree, start);
  return start(buildAddress(tree, ADOPTED_MANIFEST));
}
