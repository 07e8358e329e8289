/** What the activities of a worker use: its store, ledger, clocks, leases and clients. */
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { CredentialLeases } from '../../activities/credential-leases.ts';
import type { Dependencies, KnownService } from '../../activities/dependencies.ts';
import { EndReporter } from '../../activities/end-reporter.ts';
import { Fence } from '../../activities/fence.ts';
import { JobsSeen } from '../../activities/jobs-seen.ts';
import { ServerClock } from '../../activities/server-clock.ts';
import { TreeLeases, type TreeAddress } from '../../activities/tree-leases.ts';
import { NOBODY } from '../../config/settings.ts';
import { Ledger } from '../../ledger/ledger.ts';
import { createSystemClock } from '../../ledger/steady-clock.ts';
import { readProgramVersion, warn } from '../../program.ts';
import { publishTree } from '../../report/publish.ts';
import type { LeaseHolder } from '../../store/lease.ts';
import { openStore } from '../../store/open-store.ts';
import { loadDataConverter } from '../codec.ts';
import { processIdentity } from '../connection.ts';
import { createTreeHolder } from '../tree-holder.ts';
import { buildRunningQuery } from '../../workflows/search-attributes.ts';
import { findKnownService, findSuccessor } from './known-services.ts';
import type { WorkerOptions } from './options.ts';

export function createDependencies(
  options: WorkerOptions,
  known: ReadonlyMap<string, KnownService>,
  leases: TreeLeases,
  starter: Client,
): Dependencies {
  const { client, taskQueue, notify = NOBODY, environment, stateFolder } = options;
  const steadyClock = createSystemClock();
  return {
    serviceOf: (reference) => findKnownService(known, reference),
    successorOf: (reference) => (options.embedded ? findSuccessor(known, reference) : null),
    openStore: openExisting,
    leases,
    tokens: new CredentialLeases({
      holder: createHolderReader(options),
      openStore: (at) => openStore(at),
    }),
    publishCampaign: publishTree,
    jobsSeen: new JobsSeen(),
    fence: new Fence(client, steadyClock),
    serverClock: new ServerClock(),
    steadyClock,
    ledger: new Ledger({ folder: stateFolder, clock: steadyClock, warn }),
    notify,
    environment,
    temporal: client,
    starter,
    ends: new EndReporter(client),
    taskQueue,
    versions: { hundredfold: readProgramVersion(), node: process.version },
  };
}

/** Starts workflows through the connection of the workers, so that their first task comes with the answer. */
export function createStarter(
  { temporal: { namespace, identity = processIdentity(), codec = null } }: WorkerOptions,
  connection: NativeConnection,
): Client {
  const dataConverter = loadDataConverter(codec);
  return new Client({ connection, namespace, identity, dataConverter });
}

/** By default: an activity never creates the folder of a missing tree. */
const openExisting: Dependencies['openStore'] = (address, options) =>
  openStore(address, { create: false, ...options });

/** Read each time: the embedded server may have been restarted. */
function createHolderReader({
  client,
  embedded = null,
  stateFolder,
}: Pick<WorkerOptions, 'client' | 'embedded' | 'stateFolder'>): () => Promise<LeaseHolder> {
  let asked: Promise<LeaseHolder> | null = null;
  return async () => {
    // One call for the submissions of a burst.
    asked ??= createTreeHolder(client, embedded, stateFolder);
    const known = await asked.catch((error: unknown) => {
      asked = null;
      throw error;
    });
    return { ...known, server: embedded?.pid() ?? null };
  };
}

/** The trees of this task queue's campaigns are in the memos set by `run` and `retry`. */
export function createTreeLeases(options: WorkerOptions): TreeLeases {
  const { client, taskQueue } = options;
  const query = buildRunningQuery(['campaign'], { taskQueue });
  return new TreeLeases({
    holder: createHolderReader(options),
    openStore: openExisting,
    async openTrees() {
      const trees: TreeAddress[] = [];
      for await (const { memo } of client.workflow.list({ query })) {
        const { out, tree } = memo ?? {};
        if (typeof out === 'string' && typeof tree === 'string') trees.push({ store: out, tree });
      }
      return trees;
    },
  });
}
