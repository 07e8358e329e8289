/** `hundredfold worker`: a long-lived worker against a Temporal address. */
import { listServiceSettings } from '../../config/services.ts';
import { Command, Option } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Settings } from '../../config/settings.ts';
import type { TemporalSettings } from '../../config/network.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { toTemporalAddress, connectClient } from '../../temporal/connection.ts';
import { openStateFolder } from '../../state.ts';
import { type LogFormat, logTo } from '../../temporal/telemetry/log.ts';
import type { Operations, OperationsOptions } from '../../temporal/telemetry/operations.ts';
import type { Logger } from '@temporalio/worker';
import { registerSearchAttributes } from '../../temporal/namespace.ts';
import { chooseBuild, type Build } from '../../temporal/bundle.ts';
import { ROLES, type Role, DEFAULT_TASK_QUEUE } from '../../workflows/names.ts';
import { waitForSignal } from '../interruption.ts';
import { loadCommandSettings } from '../session.ts';
import { call, parsePort, type Flags } from '../options.ts';

export const commands = [
  new Command('worker')
    .description('run a worker for your own Temporal server')
    .addOption(new Option('--role <role...>', 'tasks of this worker (default: all)').choices(ROLES))
    .option(
      '--metrics-port <n>',
      'port for /metrics (Prometheus), /healthz and /readyz; 0: any free port',
      parsePort,
    )
    .option('--metrics-host <address>', 'address for these endpoints', '127.0.0.1')
    .addOption(
      new Option('--log-format <format>', 'format of the log on stderr')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(call(runWorker)),
];

interface WorkerFlags extends Flags {
  /** Default: all. */
  readonly role?: readonly Role[];
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly logFormat: LogFormat;
}

/** Only these roles send requests to a service. */
const WITH_TOKEN: readonly Role[] = ['submit', 'fetch'];

/**
 * Supervisors (systemd, Kubernetes) wait at least this long if configured so: a minute less 15 s. Within this time a
 * POST ends; other work is retried by another worker.
 */
const STOP_TIMEOUT_MS = 44_000;

async function runWorker(flags: WorkerFlags): Promise<number> {
  const roles = flags.role ?? ROLES;
  const asks = roles.some((role) => WITH_TOKEN.includes(role));
  const settings = loadCommandSettings(flags, asks ? 'required' : 'optional');
  const configured = checkSettings(settings, asks);
  const services = asks ? listServiceSettings(settings) : [];
  logTo((line) => process.stderr.write(line), 'INFO', flags.logFormat);
  const temporal = toTemporalAddress(configured, settings.codec);
  const client = await connectClient(temporal);
  const taskQueue = settings.taskQueue ?? DEFAULT_TASK_QUEUE;
  const references = services.map(({ reference }) => reference);
  const operations = await startOperations(flags, { client, taskQueue, references });
  // Temporal's worker takes longer to load than everything else, and `--help` does not need it.
  const { startLastingWorker } = await import('../../worker.ts');
  const { startRuntime, readWorkerLog } = await import('../../temporal/telemetry/metrics.ts');
  startRuntime({ isShared: true });
  const log = readWorkerLog();
  if (operations) log.info('metrics, health and readiness are served', { url: operations.url });
  await registerSearchAttributes(client);
  const asked = waitForSignal();
  const { deployment } = settings;
  const build = deployment === null ? null : await findVersionedBuild(client, deployment, log);
  const running = await startLastingWorker(
    {
      temporal,
      client,
      taskQueue,
      services,
      roles,
      ...(build !== null && { build }),
      notify: settings.notify,
      stateFolder: openStateFolder(process.env),
      ...(operations && { observation: operations.observation }),
    },
    (error) => {
      log.error('the worker stopped unexpectedly and is restarted', { error });
    },
  );
  const { address, namespace } = temporal;
  log.info(`working for ${address}, namespace ${namespace}, task queue ${taskQueue}`);
  log.info('stopping: finishing running work', { signal: await asked });
  operations?.drain();
  await stopInTime(running.stop(), log);
  await operations?.close();
  // The log is written with a delay of up to 100 ms, to keep its lines in order.
  await delay(150);
  return EXIT.ok;
}

async function stopInTime(stopping: Promise<void>, log: Logger): Promise<void> {
  const late = delay(STOP_TIMEOUT_MS, false, { ref: false });
  if (await Promise.race([stopping.then(() => true), late])) log.info('stopped');
  else log.warn('stopped before all work was finished: another worker continues the rest');
}

async function findVersionedBuild(
  client: Client,
  deployment: string,
  log: Logger,
): Promise<Build | null> {
  const build = await chooseBuild(client, deployment);
  const words = 'this Temporal server has no Worker Deployments: the worker runs without a version';
  if (build === null) log.warn(words, { deployment });
  return build;
}

/** Throws CONFIG_INVALID or CONFIG_NO_SERVICE. */
function checkSettings({ temporal, services }: Settings, asks: boolean): TemporalSettings {
  if (!temporal) {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      'a worker needs a Temporal server, and none is configured',
      'Set temporal.address in hundredfold.yaml. `hundredfold run` needs no worker.',
    );
  }
  if (asks && Object.values(services).length === 0) {
    throw new HundredfoldError(
      'CONFIG_NO_SERVICE',
      'a worker without services has nothing to do',
      'Name at least one under services: in hundredfold.yaml (docs/configuration.md).',
    );
  }
  return temporal;
}

/** Before the worker, so that `/readyz` reports that it is starting. Loaded only if configured. */
async function startOperations(
  { metricsPort: port, metricsHost: host }: WorkerFlags,
  shown: Omit<OperationsOptions, 'place'>,
): Promise<Operations | null> {
  if (port === undefined) return null;
  const { openOperations } = await import('../../temporal/telemetry/operations.ts');
  return openOperations({ ...shown, place: { host, port } });
}
