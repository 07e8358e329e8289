/**
 * The real worker in a separate process, for tests that kill it: at a named point by itself, or from outside. It
 * receives its instructions over the channel of `fork`, so that no token is among its arguments, and ends with its
 * parent.
 */
import { flushCompileCache } from 'node:module';
import { describeService } from '../../src/config/services.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Policy } from '../../src/budget/policy.ts';
import type { ServiceName } from '../../src/domain/campaign.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { createPrivateFolder } from '../../src/state.ts';
import { logTo } from '../../src/temporal/telemetry/log.ts';
import { startWorkerWith } from '../../src/worker.ts';
import { wireCore } from './at-core.ts';
import { wiredDependencies } from './at-dependencies.ts';
import { Hazards, type Crash, type DiskState } from './hazards.ts';

export interface ServicePlan {
  readonly service: ServiceName;
  readonly url: string;
  readonly address: string;
  readonly token: string;
  readonly policy: Policy;
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

let hazards = new Hazards(null);

process.on('message', (order: Order) => {
  if (order.type === 'start') return void start(order.plan);
  hazards.disk = order.state;
  report({ type: 'disk', refused: hazards.refused });
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
  hazards = new Hazards(crash);
  wireCore(hazards);
  const temporal = { address, namespace: 'default' };
  const options = {
    temporal,
    client: await connectClient(temporal),
    taskQueue,
    stateFolder: createPrivateFolder(stateFolder),
    services: services.map(({ service, url, token, ...more }) =>
      describeService(service, url, { token: new Secret(token) }, more),
    ),
  };
  await startWorkerWith(options, {
    dependencies: (real) => wiredDependencies(real, hazards),
    // The watchdog would start a terminated budget before a campaign does.
    ...(crash?.point.startsWith('ensureBudget') && { watchEveryMs: 3_600_000 }),
  });
  report({ type: 'ready' });
  // It rarely ends in order, which is when Node would do this.
  flushCompileCache();
}

function report(what: Report): void {
  process.send?.(what);
}
