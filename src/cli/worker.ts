/** `hundredfold worker`: a long-lived worker against a Temporal address. */
import { loadSettings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { sayWorkerDied } from '../host/host.ts';
import { startLastingWorker } from '../host/lasting-worker.ts';
import { temporalAddress } from '../host/session.ts';
import { stateFolderOf } from '../host/state.ts';
import { connectClient } from '../temporal/connection.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { ROLES, type Role } from '../temporal/workers.ts';
import { logTo } from '../worker.ts';
import { DEFAULT_TASK_QUEUE } from '../workflows/names.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './flags.ts';

export interface WorkerFlags extends CommonFlags {
  /** Default: all. */
  readonly role?: readonly Role[];
}

/** Only these ask a service for anything. */
const WITH_TOKEN: readonly Role[] = ['submit', 'fetch'];

export async function worker(flags: WorkerFlags): Promise<number> {
  const roles = flags.role ?? ROLES;
  const asks = roles.some((role) => WITH_TOKEN.includes(role));
  const settings = loadSettings(flags.config, process.env, {
    tokens: asks ? 'required' : 'optional',
  });
  if (!settings.temporal) {
    throw new HundredfoldError({
      code: 'CONFIG_NO_TEMPORAL',
      message: 'a worker needs a Temporal server to work for, and none is configured',
      remedy:
        'Set temporal.address in hundredfold.yaml, or HUNDREDFOLD_TEMPORAL_ADDRESS. `hundredfold run` needs no worker.',
      exitCode: EXIT.refused,
    });
  }
  const services = asks ? Object.values(settings.services) : [];
  if (asks && services.length === 0) {
    throw new HundredfoldError({
      code: 'CONFIG_NO_SERVICE',
      message: 'a worker without services has nothing to do',
      remedy: 'Name at least one under services: in hundredfold.yaml (docs/configuration.md).',
      exitCode: EXIT.refused,
    });
  }
  logTo((line) => process.stderr.write(line));
  const temporal = temporalAddress(settings.temporal, settings.codec);
  const client = await connectClient(temporal);
  await registerSearchAttributes(client);
  const taskQueue = settings.taskQueue ?? DEFAULT_TASK_QUEUE;
  const running = await startLastingWorker(
    {
      ...{ temporal, client, taskQueue, services, roles },
      notify: settings.notify,
      stateFolder: stateFolderOf({ settings, environment: process.env }),
    },
    { onDeath: sayWorkerDied },
  );
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  say(`working for ${temporal.address}, namespace ${temporal.namespace}, task queue ${taskQueue}`);
  await asked;
  say('stopping: what runs is brought to an end');
  await running.stop();
  await client.connection.close();
  return EXIT.ok;
}
