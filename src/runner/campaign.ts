/** A campaign that this process has started or joined: its events, its end, its control. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName, ServiceReference } from '../domain/campaign.ts';
import {
  isBackgroundRunning,
  startInBackground,
  waitForTakeover,
} from '../temporal/host/background.ts';
import type { HostOptions } from '../temporal/host/host.ts';
import { openSession, type Session } from '../temporal/host/session.ts';
import { pauseSignal, resumeSignal } from '../workflows/messages.ts';
import { describeCampaign, getCampaignHandle, readCampaignLine } from './find.ts';
import { type CampaignEvent, Follower } from './follow.ts';
import type { CampaignObservation } from './observe.ts';
import type { Settings } from '../config/settings.ts';
import type { LocalName } from '../temporal/host/local.ts';
import { type CampaignResult, readResult } from './tree.ts';
import {
  type ConfigurationOptions,
  readEnvironment,
  createInterrupted,
  ignoreNotices,
  logToWorkerLog,
  type OnNotice,
  readSettings,
  throwIfInterrupted,
} from './session.ts';

/** What the start of a campaign has found; of one that is only followed, nothing. */
export interface Begun {
  /** It was already running. */
  readonly joined: boolean;
  /** Rows that were added to the campaign that runs. */
  readonly grownBy: number;
  readonly items: number;
  /** Items that ended in an earlier run; unknown for a campaign that was joined. */
  readonly done: number;
  /** All items had ended and are in the tables: nothing was started. */
  readonly idle: boolean;
}

/** What a start gives. */
export interface Started {
  readonly name: string;
  readonly out: string;
  readonly begun?: Pick<Begun, 'idle'> & Partial<Begun>;
}

interface CampaignParts extends Started {
  readonly session: Session;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** Of the process in the background. */
  readonly options?: { readonly config?: string; readonly services?: LocalName };
  /** Lines reported by the start, not yet passed on. */
  readonly notices?: string[];
}

const FOLLOWED: Begun = { joined: true, grownBy: 0, items: 0, done: 0, idle: false };

/**
 * A running campaign. If no other process has the embedded server, this process runs server and worker, so the campaign
 * continues only until `close()`. It is durable: start it again to resume.
 */
export class Campaign implements AsyncDisposable {
  /** Name of the campaign. */
  readonly name: string;
  /** Its output tree: a folder or an s3:// address. */
  readonly out: string;
  /** Address of the Temporal UI; null when unknown. */
  readonly ui: string | null;
  /** @internal */
  readonly session: Session;
  /** @internal */
  readonly begun: Begun;
  readonly #parts: CampaignParts;
  readonly #notices: string[];
  readonly #follower: Follower;
  #closing: Promise<void> | null = null;

  /** @internal */
  constructor(parts: CampaignParts) {
    const { name, out, session, begun, notices = [] } = parts;
    this.name = name;
    this.out = out;
    this.ui = session.ui;
    this.session = session;
    this.begun = { ...FOLLOWED, ...begun };
    this.#parts = parts;
    this.#notices = notices;
    this.#follower = new Follower(session, { name, folder: out });
  }

  /**
   * The events until the campaign has ended or the signal is aborted. Call it once. You can stop iterating at any time:
   * the campaign continues until it is closed.
   *
   * @param signal - ends the iteration; default: the signal with which the campaign was started
   * @throws HundredfoldError `CAMPAIGN_NOT_PUBLISHED` when its workflow was terminated or failed, `CAMPAIGN_UNKNOWN` when
   * Temporal has lost it
   */
  async *events(signal = this.#parts.signal): AsyncGenerator<CampaignEvent, void, undefined> {
    yield* this.#newNotices();
    if (!this.begun.idle) {
      let last: CampaignObservation | null = null;
      for await (const event of this.#follower.events(signal)) {
        yield* this.#newNotices();
        yield event;
        if (event.type === 'progress') last = event;
      }
      if (last?.ended !== true) return;
      if (!last.completed) throw await createBrokenOffError(this.session, this.name);
    }
    yield { type: 'ended', result: await readResult(this.out) };
  }

  /** Something has changed: do not wait for the next poll. @internal */
  lookNow(): void {
    this.#follower.wake();
  }

  *#newNotices(): Generator<CampaignEvent, void, undefined> {
    for (const text of this.#notices.splice(0)) yield { type: 'notice', text };
  }

  /**
   * Waits for the end; use it instead of `events()`.
   *
   * @throws HundredfoldError `INTERRUPTED` when the signal is aborted first, and everything that `events()` throws
   */
  async result(): Promise<CampaignResult> {
    for await (const event of this.events()) if (event.type === 'ended') return event.result;
    throwIfInterrupted(this.#parts.signal);
    throw createInterrupted(undefined);
  }

  /** Submits no more jobs; results of submitted jobs are fetched. Durable. */
  async pause(): Promise<void> {
    await getCampaignHandle(this.session.client, this.name).signal(pauseSignal);
  }

  /**
   * Resumes a paused campaign.
   *
   * @param service - resumes only this service: one that was paused because its items fail for the same reason
   */
  async resume(service?: ServiceName): Promise<void> {
    await getCampaignHandle(this.session.client, this.name).signal(resumeSignal, service);
  }

  /** Cancels the campaign: open items become `cancelled`. Used slots stay used. */
  async cancel(): Promise<void> {
    await getCampaignHandle(this.session.client, this.name).cancel();
  }

  /**
   * Leaves it to a process in the background, which takes over server and worker after all requests in progress are
   * answered; at your own Temporal server, to its workers.
   *
   * @throws HundredfoldError `HOST_NOT_READY`
   */
  async detach(): Promise<void> {
    const { session, settings, options = {} } = this.#parts;
    // Writing the rows may have taken so long that the standby process has stopped waiting.
    if (session.role !== 'remote') await startInBackground(settings, options);
    if (session.role !== 'host') return;
    await this.close();
    await waitForTakeover(settings);
  }

  /** Whether a process in the background works on it. @internal */
  runsInBackground(): boolean {
    return isBackgroundRunning(this.#parts.settings);
  }

  /**
   * Stops what this process runs, in order: submissions in progress are finished, then worker and server end. A
   * campaign that has not ended stays on disk. May be called twice.
   */
  async close(): Promise<void> {
    this.#closing ??= this.session.close();
    return this.#closing;
  }

  /** Same as `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

interface Opening extends Pick<CampaignParts, 'settings' | 'signal' | 'notices'> {
  readonly options: ConfigurationOptions & { readonly onNotice?: OnNotice };
}

/** Opens a session, and starts or finds a campaign in it; if that fails, the session is closed. */
async function openWith(
  { settings, options, signal, notices = [] }: Opening,
  hosting: Pick<HostOptions, 'localServices' | 'anyHost' | 'ownWorker' | 'answerTimeoutMs'>,
  begin: (session: Session) => Promise<Started>,
): Promise<Campaign> {
  const { onNotice } = options;
  const environment = readEnvironment(options);
  const session = await openSession({
    settings,
    environment,
    ...hosting,
    ...(onNotice && { onNotice }),
  });
  try {
    throwIfInterrupted(signal);
    return new Campaign({ session, settings, options, signal, notices, ...(await begin(session)) });
  } catch (error) {
    await session.close();
    throw error;
  }
}

interface Beginning extends Opening {
  readonly options: ConfigurationOptions & {
    readonly services?: LocalName;
    readonly worker?: boolean;
    readonly detach?: boolean;
    readonly onNotice?: OnNotice;
  };
}

export async function beginCampaign(
  beginning: Beginning,
  start: (session: Session) => Promise<Started>,
): Promise<Campaign> {
  const { settings, options } = beginning;
  const { detach = false, worker = true, services = null } = options;
  logToWorkerLog(settings, options);
  if (detach) await startInBackground(settings, options);
  const hosting = { localServices: services, ownWorker: worker && !detach };
  return openWith(beginning, hosting, start);
}

/** How a campaign is followed. */
export interface WatchOptions extends ConfigurationOptions {
  /** Ends the iteration; the campaign continues. */
  readonly signal?: AbortSignal;
}

/**
 * Follows a campaign by its name until it has ended or the signal is aborted. If no process works on the campaign, this
 * process does, as long as it follows it.
 *
 * @param name - name of the campaign
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_NOT_PUBLISHED`, `CONFIG_*`, `HOST_*`, `TEMPORAL_*`
 */
export async function* watch(
  name: string,
  options: WatchOptions = {},
): AsyncGenerator<CampaignEvent, void, undefined> {
  if (options.signal?.aborted === true) return;
  await using campaign = await openCampaign(name, options);
  yield* campaign.events();
}

/** A campaign by its name, to be followed and worked on. @param answerTimeoutMs for the host, if a user waits for it */
export async function openCampaign(
  name: string,
  options: WatchOptions & { readonly onNotice?: OnNotice },
  answerTimeoutMs?: number,
): Promise<Campaign> {
  const settings = readSettings(options, { tokens: 'optional' });
  const { signal = new AbortController().signal, onNotice = ignoreNotices } = options;
  logToWorkerLog(settings, options);
  const opening = { settings, options: { ...options, onNotice }, signal };
  const hurry = answerTimeoutMs === undefined ? {} : { answerTimeoutMs };
  return openWith(opening, { localServices: null, anyHost: true, ...hurry }, async (session) => {
    const found = await describeCampaign(session.client, name, settings.storeUrl);
    const { out, open, state } = readCampaignLine(found);
    if (open && session.role !== 'joined') reportUnready(settings, found, onNotice);
    const idle = !open && (state === 'completed' || state === 'cancelled');
    return { name, out, begun: { idle } };
  });
}

/** Open items of such a service of the campaign remain open: this process can neither send nor fetch anything there. */
function reportUnready(
  { unready }: Settings,
  { memo }: WorkflowExecutionDescription,
  onNotice: OnNotice,
): void {
  // Written by `launch`.
  const used = (memo?.['services'] ?? []) as readonly ServiceReference[];
  for (const { reference, reason } of unready) {
    const { service, address } = reference;
    if (!used.some((one) => one.service === service && one.address === address)) continue;
    onNotice(
      `${service}: this command neither submits nor fetches anything there: ${reason.message}.`,
    );
    onNotice(`  ${reason.remedy}`);
  }
}

/** Why notifications of the end failed, one reason each. Of a completed campaign. */
export async function listNotNotified(
  { client }: Session,
  name: string,
): Promise<readonly string[]> {
  return (await getCampaignHandle(client, name).result()).unnotified ?? [];
}

/** With the failure of the workflow, unless it was terminated. */
async function createBrokenOffError({ client }: Session, name: string): Promise<HundredfoldError> {
  let reason: unknown = await getCampaignHandle(client, name)
    .result()
    .catch((error: unknown) => error);
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  const why =
    reason instanceof ApplicationFailure
      ? `failed: ${reason.message}`
      : 'was terminated, or failed';
  return new HundredfoldError(
    'CAMPAIGN_NOT_PUBLISHED',
    `the workflow of the campaign ${name} ${why}`,
    'Run its "hundredfold run" command again: finished items are kept.',
  );
}
