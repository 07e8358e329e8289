/**
 * The real worker in a separate process, for tests that kill it: at a named point by itself, or from outside. It
 * receives its instructions over the channel of `fork`, so that no token is among its arguments, and ends with its
 * parent.
 */
import { flushCompileCache } from 'node:module';
import { describeService } from '../../src/config/services.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Limit } from '../../src/budget/budget.ts';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import type { ServiceName } from '../../src/domain/item.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { privateFolder } from '../../src/state/private-folder.ts';
import { logTo } from '../../src/telemetry/log-target.ts';
import { startWorkerWith } from '../../src/worker.ts';
import { wireCore } from './at-core.ts';
import { wiredDependencies } from './at-dependencies.ts';
import { Fuse, type Crash } from './points.ts';
import { UnwillingDisk, type DiskState } from './unwilling-disk.ts';

export interface ServicePlan {
  readonly service: ServiceName;
  readonly url: string;
  readonly address: string;
  readonly token: string;
  readonly limit: Limit;
  readonly maxUnfinished?: number;
}

export interface WorkerPlan {
  /** HOST:PORT of the Temporal server. */
  readonly temporal: string;
  readonly taskQueue: string;
  readonly services: readonly ServicePlan[];
  readonly crash: Crash | null;
  /** Of the scene: its workers share a ledger with no other test. */
  readonly stateFolder: string;
}

/** Messages of the parent. */
export type Order =
  | { readonly type: 'start'; readonly plan: WorkerPlan }
  | { readonly type: 'disk'; readonly state: DiskState };

/** Messages of this process. */
export type Report =
  { readonly type: 'ready' } | { readonly type: 'disk'; readonly refused: number };

const disk = new UnwillingDisk();

process.on('message', (order: Order) => {
  if (order.type === 'disk') {
    disk.state = order.state;
    report({ type: 'disk', refused: disk.refused });
  } else {
    void start(order.plan);
  }
});
// However the test ends, no worker is left behind.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function start({
  temporal: address,
  taskQueue,
  services,
  crash,
  stateFolder,
}: WorkerPlan): Promise<void> {
  logTo((line) => process.stderr.write(line), 'INFO');
  const fuse = new Fuse(crash);
  wireCore(fuse);
  const temporal = { address, namespace: 'default' };
  const options = {
    temporal,
    client: await connectClient(temporal),
    taskQueue,
    environment: process.env,
    stateFolder: privateFolder(stateFolder),
    services: services.map(({ service, url, token, ...more }) =>
      describeService(service, url, new Secret(token), more),
    ),
  };
  await startWorkerWith(options, {
    dependencies: (real) => {
      const wired = wiredDependencies(real, fuse);
      const openStore: Dependencies['openStore'] = async (where, opening) =>
        disk.over(await wired.openStore(where, opening));
      return {
        ...wired,
        openStore,
        publishCampaign: async (folder, end, publishing) =>
          publishCampaign(await openStore(folder), end, publishing),
      };
    },
  });
  report({ type: 'ready' });
  // It rarely ends in order, which is when Node would do this.
  flushCompileCache();
}

function report(what: Report): void {
  process.send?.(what);
}
