/** The jobs that the services have for our token, and which of them this folder has: for `adopt`. */
import { revealSecrets, type ServiceSettings } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import type { ServiceName } from '../domain/item.ts';
import type { PastJob } from '../domain/outcomes.ts';
import { RESULTS_KEPT_MS } from '../domain/limits.ts';
import {
  type LocalName,
  createLocalSettings,
  chooseRecord,
} from '../temporal/host/local-settings.ts';
import { tryLock } from '../temporal/host/lock.ts';
import { readRecord } from '../temporal/host/record.ts';
import { createClient, listKindsOf, findService } from '../services/registry.ts';
import { type HolderOfJob, listFolderJobs } from '../store/jobs-in-tree.ts';
import { chooseServices } from './services.ts';

export interface ListedJob extends PastJob {
  readonly service: ServiceName;
  /** The item of this folder that has the job; null when none has. */
  readonly here: HolderOfJob | null;
  /** ISO 8601, UTC; null where the service does not say when the job was submitted. */
  readonly deletedAt: string | null;
}

export interface RemoteJobs {
  readonly jobs: readonly ListedJob[];
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
  /** A service, or a part of its list, was unavailable: the list may be incomplete. */
  readonly incomplete: boolean;
}

interface WantedServices {
  readonly services: ReadonlySet<ServiceName>;
  /** Services of this project, on this machine, in place of configured ones. */
  readonly local: LocalName | null;
  /** The command that needs them, for messages. */
  readonly who: string;
}

/** The settings of the chosen services; the local ones run for as long as `use` does. */
export async function withServices<T>(
  settings: Settings,
  wanted: WantedServices,
  use: (services: readonly ServiceSettings[]) => Promise<T>,
): Promise<T> {
  const { local, services, who } = wanted;
  const chosen = chooseServices(settings, { local, needed: services, who });
  if (!local) return use(chosen);
  return withLocalServices(settings.embeddedDir, local, (running) =>
    use(running.filter(({ reference }) => services.has(reference.service))),
  );
}

/** @param folder that contains the campaigns */
export async function listRemoteJobs(
  services: readonly ServiceSettings[],
  folder: string,
): Promise<RemoteJobs> {
  const secrets = services.flatMap((one) => Object.values(revealSecrets(one)));
  const lists = await Promise.all(services.map((service) => listJobs(service, secrets, folder)));
  return {
    jobs: lists.flatMap(({ jobs }) => jobs),
    notes: [...new Set(lists.flatMap(({ notes }) => notes))],
    incomplete: lists.some(({ incomplete }) => incomplete),
  };
}

async function listJobs(
  settings: ServiceSettings,
  otherSecrets: readonly string[],
  folder: string,
): Promise<RemoteJobs> {
  const { service } = settings.reference;
  const { url, config } = settings;
  const own = revealSecrets(settings);
  const client = createClient({ service, url, config, secrets: own, otherSecrets });
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
      jobs.push(...outcome.jobs.map((job) => toListedJob(job, service, here)));
    }
  } finally {
    await client.close();
  }
  return { jobs, notes, incomplete };
}

/** For one list; a user waits for it. */
const TIMEOUT_MS = 60_000;

function toListedJob(
  job: PastJob,
  service: ServiceName,
  here: ReadonlyMap<string, HolderOfJob>,
): ListedJob {
  const submitted = Date.parse(job.submittedAt ?? '');
  const deletedAt = Number.isNaN(submitted)
    ? null
    : new Date(submitted + RESULTS_KEPT_MS).toISOString();
  return { ...job, service, here: here.get(job.remoteId) ?? null, deletedAt };
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
    const { serveLocally } = await import('../temporal/host/local.ts');
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
