/**
 * The job of an item, read from the output tree: histories carry ids only; how far it has come, which the server keeps
 * with the heartbeat of `finishJob`, across our crashes; and what the record says of it before its end: the service has
 * accepted it, or it is of no use. If the Temporal database is lost, the next run finds the job there
 * and fetches its result, instead of submitting it a second time.
 */
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { log, type Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import {
  type Attempt,
  type ItemEnd,
  type JobPolicy,
  type ServiceReference,
  type Kind,
  type Options,
  isFinal,
} from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import type { ArtefactName, Timing } from '../domain/outcomes.ts';
import { findService } from '../services/registry.ts';
import { findMaxNameLength, type Job } from '../services/service.ts';
import { readJobOptions, type ItemRecord } from '../store/item-record.ts';
import { changeItem, readItem, writeItem, nameOfJob } from '../store/item-store.ts';
import { buildItemKey } from '../store/layout.ts';
import { findGivenBack, giveBackRecord, giveUpRecord } from '../store/reopen.ts';
import { StoreError, type Store } from '../store/store.ts';
import type {
  FetchResult,
  ItemAddress,
  KeptFile,
  RemoteJob,
  SubmittedJob,
} from '../workflows/activity-types.ts';
import { giveUpSignal, type GivenBack, type GivenUp } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import { openHeldTree, type Trees } from './leases.ts';
import {
  computeAgeAtStart,
  createHindered,
  isElsewhere,
  nullIfNotFound,
  storeFailure,
} from './retry.ts';

export type JobSource = Pick<ItemAddress, 'campaign' | 'id' | 'kind'>;

/** The name that the job of an item is submitted under (store/item-store.ts). */
export function buildJobName({ campaign, id }: JobSource, record: ItemRecord): string {
  const { jobNumber, input, jobLabel } = record;
  const job = { id, jobNumber, sha256: input.sha256, options: readJobOptions(record) };
  const longest = findMaxNameLength(findService(record.service));
  return nameOfJob(campaign, { ...job, label: jobLabel ?? null }, longest);
}

/** A command that joins a running campaign adds rows only. */
const RECREATED =
  'Restore it from a copy, or run the "hundredfold run" command again when the campaign has ended: it recreates the file.';

export async function requireItem(store: Store, { kind, id }: JobSource): Promise<ItemRecord> {
  // The next steps of the item need it in a moment.
  const record = await readItem(store, kind, id);
  if (record) return record;
  throw new HundredfoldError(
    'ITEM_MISSING',
    `${store.location} has no record of ${id}.`,
    RECREATED,
  );
}

export interface StoredJob extends Job<Options> {
  readonly kind: Kind;
  /** False for an adopted job whose row gives no input: its result cannot be compared with it. */
  readonly inputKnown: boolean;
}

export async function readJob(store: Store, source: JobSource): Promise<StoredJob> {
  return readStoredJob(store, source, await requireItem(store, source));
}

export async function readStoredJob(
  store: Store,
  source: JobSource,
  record: ItemRecord,
): Promise<StoredJob> {
  const key = buildItemKey(source.kind, source.id, record.input.name);
  const text = await store.readText(key);
  if (text === null) {
    throw new HundredfoldError(
      'ITEM_INPUT_MISSING',
      `${store.location} has no ${record.input.name} of ${source.id}.`,
      RECREATED,
    );
  }
  return {
    kind: record.kind,
    options: readJobOptions(record),
    input: { name: record.input.name, text },
    inputKnown: record.adopted?.inputKnown !== false,
    name: buildJobName(source, record),
    title: record.title ?? record.id,
    email: record.email,
  };
}

/** A job on its way to its end. */
export interface Finishing {
  readonly job: RemoteJob;
  readonly policy: JobPolicy;
  readonly submitted: SubmittedJob;
  /** How it had ended before `retry`; null for another. */
  readonly former: string | null;
  readonly stage: JobStage;
}

export interface FailedJob {
  readonly type: 'failed';
  readonly code: ItemEndCode;
  readonly message: string;
  readonly timing: Timing | null;
}

export interface FinishedJob {
  readonly type: 'finished';
  readonly artefacts: readonly ArtefactName[];
  /** When the service accepted the job, from its timing block while the job ran; null if there was none. */
  readonly queuedAt: string | null;
}

/** By the polls of a job that has not ended. */
export interface Seen {
  /** Its acceptance is not in the tree yet: a worker with access to the tree notes it. */
  readonly noteOwed?: boolean;
  /** Answers of one sort in a row that say nothing of the job: a 404, or an answer while other jobs were answered. */
  readonly denied?: {
    readonly by: 'unknown' | 'unavailable';
    readonly since: number;
    readonly times: number;
  };
  readonly queuedAt?: string;
  /** It was seen to run. */
  readonly isKnown?: true;
}

/** How it had ended, how old it was when that was seen (ms), and by which attempt. */
type Polled = (FinishedJob | FailedJob) & { readonly ageMs: number; readonly attempt: number };

/** Since when every download of a file is bad (ms), and how many there were. */
interface BadDownloads {
  readonly badSince: number;
  readonly times: number;
}

interface Left {
  readonly seen?: Seen;
  readonly polled?: Polled;
  /** Whole files. */
  readonly fetched?: Readonly<Partial<Record<ArtefactName, FetchResult>>>;
  readonly bad?: Readonly<Partial<Record<ArtefactName, BadDownloads>>>;
}

export class JobStage {
  readonly #context: Context;
  readonly #begunAt = performance.now();
  /** Not sent at each change: most jobs end before a heartbeat is due, and each one costs the server a write. */
  #left: Left;

  constructor(context: Context) {
    this.#context = context;
    this.#left = (context.info.heartbeatDetails as Left | null | undefined) ?? {};
  }

  get left(): Left {
    return this.#left;
  }

  /** From 1. */
  get attempt(): number {
    return this.#context.info.attempt;
  }

  /** The same, counted from the one that has seen the end of the job. */
  get attemptSinceEnd(): number {
    return this.attempt - (this.#left.polled?.attempt ?? this.attempt) + 1;
  }

  /** How long ago the activity was first scheduled (ms), or less by the time that this attempt waited for a worker. */
  ageMs(): number {
    return computeAgeAtStart(this.#context.info) + performance.now() - this.#begunAt;
  }

  /** How long ago (ms) the end of the job was seen. */
  msSinceEnd(): number {
    return this.ageMs() - (this.#left.polled?.ageMs ?? 0);
  }

  beat(): void {
    this.#context.heartbeat(this.#left);
  }

  /** The server keeps the details of earlier attempts: what has not changed is not sent again. */
  leaveToNextAttempt(): void {
    if (!isDeepStrictEqual(this.#left, this.#context.info.heartbeatDetails ?? {})) this.beat();
  }

  keepSeen(seen: Seen): void {
    this.#left = { seen };
  }

  keepPolled(ended: FinishedJob | FailedJob): Polled {
    const polled = { ...ended, ageMs: this.ageMs(), attempt: this.attempt };
    this.#left = { polled };
    return polled;
  }

  keepFetched(artefact: ArtefactName, result: FetchResult): void {
    const { bad: { [artefact]: _, ...bad } = {}, fetched } = this.#left;
    this.#left = { ...this.#left, bad, fetched: { ...fetched, [artefact]: result } };
  }

  keepBad(artefact: ArtefactName, downloads: BadDownloads): void {
    this.#left = { ...this.#left, bad: { ...this.#left.bad, [artefact]: downloads } };
  }
}

/** In the first attempt, or the first one on a worker with access to the tree. */
export async function noteAcceptanceOnce(deps: Trees, finishing: Finishing): Promise<void> {
  const { job, stage } = finishing;
  if (stage.attempt > 1 && stage.left.seen?.noteOwed !== true) return;
  await runOneAtATime(job.item, () => noteAcceptance(deps, finishing));
}

async function noteAcceptance(deps: Trees, { job, submitted, stage }: Finishing): Promise<void> {
  const { item, reference, remoteId } = job;
  const { submittedAt, sentAt, answeredAt } = submitted;
  try {
    const store = await openHeldTree(deps, item);
    await changeItem(store, item, async (record, write) => {
      // A late attempt, for example of a frozen worker, must not reopen an item that another attempt has ended.
      if (!record || (isFinal(record.state) && record.remoteId === remoteId)) return;
      // Nor one that its lane has given back.
      if (record.generation > item.generation) return;
      // Already noted at its acceptance, if the same job is polled again.
      const isNoted = record.remoteId === remoteId && record.submittedAt !== null;
      await write({
        ...record,
        state: 'running',
        address: reference.address,
        jobName: record.adopted ? null : buildJobName(item, record),
        remoteId,
        ...(!isNoted && {
          submittedAt,
          sentAt: sentAt ?? null,
          answeredAt: answeredAt ?? null,
        }),
      });
    });
  } catch (error) {
    if (isElsewhere(error)) {
      stage.keepSeen({ noteOwed: true });
      throw storeFailure(error);
    }
    // A full disk must not prevent polling: this note is only a backup of Temporal's history.
    if (!(error instanceof StoreError)) throw error;
    log.warn('the acceptance could not be noted in the output tree', { id: item.id, error });
  }
}

/** The last work of this process on the record of an item. */
const last = new Map<string, Promise<void>>();

/**
 * The outcome of `work` on an item's record, which starts when earlier work on it has ended: two attempts of an
 * activity may run at the same time, because one that timed out does not stop immediately.
 */
export async function runOneAtATime<T>(
  { store, id }: Pick<ItemAddress, 'store' | 'id'>,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${store} ${id}`;
  const own = Promise.withResolvers<undefined>();
  const former = last.get(key);
  last.set(key, own.promise);
  try {
    await former;
    return await work();
  } finally {
    if (last.get(key) === own.promise) last.delete(key);
    own.resolve(undefined);
  }
}

/**
 * Notes in the output tree that the former job, which `retry` polled, cannot be used. The next job has its own name, and
 * a run after a loss of the Temporal database does not poll the former one again.
 *
 * Rejected: deciding by the error code alone, which paid for a second job while the first still ran, and polling in the
 * command, which needs tokens and takes minutes before anything starts.
 * Then its campaign requests another one.
 *
 * @param files what was fetched of it, which is in the item's folder now
 */
export async function giveUp(
  deps: Dependencies,
  { item, remoteId }: RemoteJob,
  files: readonly KeptFile[],
  attempts: readonly Attempt[],
): Promise<void> {
  try {
    const store = await openHeldTree(deps, item);
    const record = await readItem(store, item.kind, item.id);
    // If it has another job, an earlier attempt has done this, and its result was lost.
    if (record?.remoteId === remoteId) {
      const fetched = Object.fromEntries(files.map(({ name, ...file }) => [name, file]));
      await writeItem(store, giveUpRecord(record, fetched, attempts));
    }
  } catch (error) {
    throw storeFailure(error);
  }
  await reportGivenUp(deps, item, { id: item.id });
}

/** The machine of a lane has failed: another lane is to do the row (docs/architecture.md, "Two lanes"). */
export async function giveBack(
  deps: Dependencies,
  { item, reference, remoteId }: RemoteJob,
  attempts: readonly Attempt[],
  end: ItemEnd,
): Promise<void> {
  try {
    const store = await openHeldTree(deps, item);
    const back = await changeItem(store, item, async (record, write): Promise<GivenBack | null> => {
      const isOpen = record?.generation === item.generation && !isFinal(record.state);
      // Otherwise an earlier attempt has done this, or the item has ended since.
      if (!isOpen || (record.remoteId ?? remoteId) !== remoteId)
        return record && { generation: record.generation, givenBack: record.givenBack ?? [] };
      const begun = giveBackRecord(record, reference.address, attempts);
      await write(begun);
      return { generation: begun.generation, givenBack: begun.givenBack, end };
    });
    await reportGivenUp(deps, item, { id: item.id, ...(back && { back }) });
  } catch (error) {
    throw storeFailure(error);
  }
}

/**
 * Whether the row was given back by an attempt before, whose worker died, or before this item began. Then the campaign is
 * told: the lane may be away, and is not asked for the job once more.
 */
export async function wasGivenBack(deps: Dependencies, { item }: RemoteJob): Promise<boolean> {
  const record = await openHeldTree(deps, item)
    .then((store) => readItem(store, item.kind, item.id))
    .catch((error: unknown) => {
      // As in `noteAcceptance`, which says what is wrong.
      if (!(error instanceof StoreError)) throw error;
      return null;
    });
  const back = record && findGivenBack(record, item.generation);
  if (back) await reportGivenUp(deps, item, { id: item.id, back });
  return back !== null;
}

/** To its campaign. One that was terminated requests it when it is run again. */
export async function reportGivenUp(
  { temporal }: { readonly temporal: Pick<Client, 'workflow'> },
  { campaign }: Pick<ItemAddress, 'campaign'>,
  given: GivenUp,
): Promise<void> {
  const handle = temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
  await nullIfNotFound(handle.signal(giveUpSignal, given));
}

const ANOTHER_WORKER_MAY_MS = 15_000;

/** Throws "not yet" if this worker does not know the service: another one may, or this one after a new configuration. */
export function requireService(deps: Dependencies, reference: ServiceReference): KnownService {
  const service = deps.serviceOf(reference) ?? deps.successorOf(reference);
  if (service) return service;
  const where = `${reference.service} at ${reference.address}`;
  throw createHindered(
    `no worker here serves ${where}, credential ${reference.credential}; start one that is configured for it, or ` +
      'cancel the campaign and run "hundredfold retry" twice to send its rows elsewhere',
    ANOTHER_WORKER_MAY_MS,
  );
}
