/**
 * A host runs everything that a campaign needs on one machine: the embedded Temporal server, the local services if they
 * are used, and a worker. One process per folder is the host; others join it, and one of them takes over when it ends.
 */
import { isSameReference } from '../../domain/campaign.ts';
import { ENGINES, listServiceSettings, type ServiceSettings } from '../../config/services.ts';
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Settings } from '../../config/settings.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { Deadline } from '../../domain/process.ts';
import { connectClient, type TemporalAddress } from '../connection.ts';
import { keepHistories, registerSearchAttributes } from '../namespace.ts';
import { readWorkerLog } from '../telemetry/metrics.ts';
import { openStateFolder } from '../../state.ts';
import { DEFAULT_TASK_QUEUE } from '../../workflows/names.ts';
import {
  describeEmbeddedServer,
  type HostRecord,
  type Lock,
  readRecord,
  removeRecord,
  writeRecord,
} from './folder.ts';
import { type HostedServices, listUsedLocals, type LocalName, serveLocally } from './local.ts';
import { ServerKeeper } from './server-keeper.ts';
import { watchClock } from './clock.ts';

export interface Host {
  readonly record: HostRecord;
  readonly client: Client;
  /** Restarts the server on its old port when it has died: worker and clients find it there again. */
  revive(): Promise<void>;
  /** In order: worker, server, services. */
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  /** The services of this project that the command needs; those that the folder has used run too. */
  readonly localServices: LocalName | null;
  /** For commands that submit nothing: any running host is suitable, regardless of its services. */
  readonly anyHost?: boolean;
  /** A worker that only answers queries about campaigns. */
  readonly lookOnly?: boolean;
  /** With `lookOnly`: the host stays until it is interrupted, so that other read-only commands may join it. */
  readonly lasting?: boolean;
  /** How long the host of the folder may take to answer, in ms; default: a minute. */
  readonly answerTimeoutMs?: number;
  /** For a remote Temporal: false leaves all work to the workers there. */
  readonly ownWorker?: boolean;
  /** Default: a line of the log. */
  readonly onNotice?: (text: string) => void;
}

type Stop = () => Promise<void> | void;

interface Start {
  readonly dir: string;
  /** Local services that are needed. */
  readonly locals: ReturnType<typeof listUsedLocals>;
  /** Receives the functions that stop the parts, in the order of their start. */
  readonly stops: Stop[];
  /** A server that does not answer is killed soon. */
  readonly hurried: boolean;
  readonly onNotice: (text: string) => void;
}

/**
 * The server, the local services and the code of the worker, all concurrently: the server takes a second to start, and
 * loading the worker's code half a second.
 */
async function startParts(keeper: ServerKeeper, { dir, locals, stops, hurried, onNotice }: Start) {
  // Before the server starts, so that every step is detected: after one, the server would stop dispatching.
  const clock = watchClock(dir);
  const beginning = keeper.begin();
  const starting: Promise<HostedServices[]> = Promise.all(
    locals.map((name) => serveIfPossible(dir, name, onNotice)),
  ).then((all) => all.flat());
  const loading = import('../../worker.ts');
  const started = starting.catch(() => []);
  stops.push(
    async () => {
      await Promise.all((await started).map(({ services }) => services.close()));
    },
    () => clock.end(),
    async () => {
      await beginning.catch(() => undefined);
      await keeper.end(hurried ? HURRIED_STOP_MS : undefined);
    },
  );
  const [server, local, worker] = await Promise.all([beginning, starting, loading]);
  const settings = local.flatMap((one) => one.settings);
  return { server, local: settings, startLastingWorker: worker.startLastingWorker };
}

/** Without the engines, which may have been removed since, their lanes wait, and the services go on. */
async function serveIfPossible(
  dir: string,
  name: Start['locals'][number],
  onNotice: Start['onNotice'],
): Promise<HostedServices[]> {
  try {
    return [await serveLocally(dir, name)];
  } catch (error) {
    if (name !== ENGINES || !(error instanceof HundredfoldError)) throw error;
    onNotice(`The lanes of --also engines do not run: ${error.message}. ${error.remedy}`);
    return [];
  }
}

function connectEmbedded(server: TemporalAddress, deadline: Deadline | null): Promise<Client> {
  return connectClient({ ...server, embedded: true, timeoutMs: deadline?.leftMs });
}

/** A step of the start, for a command that must answer within seconds. */
async function runWithinTime(
  client: Client,
  deadline: Deadline | null,
  step: (client: Client) => Promise<void>,
): Promise<void> {
  const take = (): Promise<void> => step(client);
  await (deadline ? client.withDeadline(Date.now() + deadline.leftMs, take) : take());
}

/** For a command that must answer within seconds: a server that does not answer for this long (ms) is stopped. */
const HURRIED_START_MS = 8_000;
/** If it does not end by itself within this time (ms), it is killed. */
const HURRIED_STOP_MS = 2_000;

/** Becomes the host of a folder whose lock the caller holds. */
export async function startHost(lock: Lock, options: HostOptions): Promise<Host> {
  const { settings, lookOnly = false, lasting = false, answerTimeoutMs } = options;
  const dir = settings.embeddedDir;
  const taskQueue = settings.taskQueue ?? readTaskQueue(dir);
  const stops: Stop[] = [() => lock.release()];
  const stop = async () => {
    removeRecord(dir, 'host');
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    const locals = lookOnly ? [] : listUsedLocals(dir, options.localServices);
    const keeper = new ServerKeeper(dir);
    const hurried = answerTimeoutMs !== undefined;
    const { onNotice = (text: string) => void readWorkerLog().warn(text) } = options;
    const start = { dir, locals, stops, hurried, onNotice };
    const { server, local, startLastingWorker } = await startParts(keeper, start);
    const services = lookOnly ? [] : joinServices(local, listServiceSettings(settings));
    const temporal = { address: server.address, namespace: 'default', codec: settings.codec };
    const deadline = hurried ? new Deadline(HURRIED_START_MS) : null;
    const client = await connectEmbedded(temporal, deadline);
    stops.push(() => client.connection.close());
    await runWithinTime(client, deadline, registerSearchAttributes);
    const worker = await startLastingWorker({
      temporal,
      client,
      taskQueue,
      services,
      notify: settings.notify,
      embedded: describeEmbeddedServer(dir),
      stateFolder: openStateFolder(options.environment),
      workflowsOnly: lookOnly,
    });
    stops.push(() => worker.stop());
    // Last: after a crash, every moment until the worker runs is lost.
    await runWithinTime(client, deadline, keepHistories);
    const record = {
      pid: process.pid,
      taskQueue,
      server,
      services: services.map(({ reference }) => reference),
      plugins: settings.plugins.map(({ digest }) => digest),
      lookOnly,
      lasting,
    };
    writeRecord(dir, 'host', record);
    return { record, client, revive: () => keeper.revive(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The port of those that run here is known only now. */
function joinServices(
  local: readonly ServiceSettings[],
  others: readonly ServiceSettings[],
): readonly ServiceSettings[] {
  const isElsewhere = ({ reference }: ServiceSettings): boolean =>
    !local.some((one) => isSameReference(one.reference, reference));
  return [...local, ...others.filter(isElsewhere)];
}

/**
 * A separate task queue for the folder. If its server dies and the server of another folder takes its port, our worker
 * finds no work there: it must not run another folder's campaigns with the services of this one.
 */
function readTaskQueue(dir: string): string {
  const known = readRecord(dir, 'identity');
  if (known) return known.taskQueue;
  const taskQueue = `${DEFAULT_TASK_QUEUE}-${randomBytes(4).toString('hex')}`;
  writeRecord(dir, 'identity', { taskQueue });
  return taskQueue;
}
