/**
 * Runs campaigns inside your own Temporal workers (docs/library.md).
 *
 * @packageDocumentation
 */
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Settings } from '../config/settings.ts';
import type { TemporalSettings } from '../config/temporal.ts';
import { codedError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { temporalAddress } from '../host/temporal-address.ts';
import { stateFolderOf } from '../host/state.ts';
import { workflowBundle as bundleOf } from '../temporal/bundle.ts';
import { connectClient, type TemporalAddress } from '../temporal/connection.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { openActivities } from '../worker.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { RowOptions } from './checked-rows.ts';
import type { PreparedCampaign } from './child-campaign.ts';
import { environmentOf, settingsOf, type ConfigurationOptions } from './configuration.ts';
import { prepareChild } from './prepare-child.ts';

export { HundredfoldError, type ErrorDetails } from '../domain/errors.ts';
export type { CampaignChild, CampaignEnd, EndCounts, PreparedCampaign } from './child-campaign.ts';
export type { ManifestOptions, RowOptions } from './checked-rows.ts';
export type { ConfigurationOptions } from './configuration.ts';

/** For `workflowBundle` of `Worker.create`. */
export interface WorkflowBundle {
  /** Path of a JavaScript file. */
  readonly codePath: string;
}

/**
 * The workflows of this library, bundled: for a worker without workflows of its own. In a checkout the bundle is built
 * if it is missing.
 *
 * @throws HundredfoldError `PACKAGE_INCOMPLETE`
 */
export async function workflowBundle(): Promise<WorkflowBundle> {
  return bundleOf();
}

/** Names of the search attributes by which campaigns and items are found, all of type Keyword. */
export const searchAttributes = {
  /** Name of the campaign, on campaigns and items. */
  campaign: ATTRIBUTES.campaign.name,
  /** Id of the item. */
  item: ATTRIBUTES.item.name,
  /** Type of the item's input. */
  kind: ATTRIBUTES.kind.name,
  /** State of the campaign or the item. */
  state: ATTRIBUTES.state.name,
  /** Service of the item. */
  service: ATTRIBUTES.service.name,
  /** Id of the item's job at the service. */
  remoteId: ATTRIBUTES.remoteId.name,
  /** Code of the error with which the item ended. */
  errorCode: ATTRIBUTES.errorCode.name,
} as const;

/** Options of `createActivities`. */
export interface ActivitiesOptions extends ConfigurationOptions {
  /** The task queue of your workers. All of them need the tokens of all services. */
  readonly taskQueue: string;
}

/** The activity of this library that your workflows call. */
export interface CampaignActivities {
  /**
   * Checks manifests and prepares their items in the output tree, for `executeCampaign` of `hundredfold/workflows`. It
   * can be called repeatedly. Manifest and output must be reachable from every worker of the task queue.
   *
   * Fails with an `ApplicationFailure` whose `type` is the code: `MANIFEST_REFUSED`, `CAMPAIGN_RUNNING`, `CONFIG_*`,
   * `STORE_*`, …; retryable only if the output store may recover.
   *
   * @param manifests - paths of manifests, as the worker sees them
   * @param options - rows to run and where the output goes; absolute paths are safest
   */
  prepareCampaign(manifests: readonly string[], options?: RowOptions): Promise<PreparedCampaign>;
}

/** Activities to register with workers, and the tasks that run beside them. */
export interface OpenActivities extends AsyncDisposable {
  /** For `activities` of `Worker.create`: `prepareCampaign`, and those that campaigns call. */
  readonly activities: CampaignActivities & Readonly<Record<string, (...args: never[]) => unknown>>;
  /** For `interceptors.activity` of `Worker.create`: log fields and traces; optional. */
  readonly interceptors: ActivityInterceptorsFactory[];
  /** Call it after the workers have stopped. */
  close(): Promise<void>;
}

/**
 * Creates the activities of campaigns for your own workers. Connects to the configured Temporal server
 * (`temporal.address`), registers the search attributes there, starts the budgets of the configured services, and
 * monitors both until `close()`.
 *
 * @throws HundredfoldError `CONFIG_NO_TEMPORAL`, `CONFIG_*`, `TEMPORAL_*`
 */
export async function createActivities(options: ActivitiesOptions): Promise<OpenActivities> {
  const settings = settingsOf(options);
  const environment = environmentOf(options);
  const temporal = temporalAddress(configured(settings), settings.codec);
  const client = await connectClient(temporal);
  try {
    await registerSearchAttributes(client);
    const { taskQueue } = options;
    const opened = await openActivities({
      temporal,
      client,
      taskQueue,
      services: Object.values(settings.services),
      notify: settings.notify,
      environment,
      stateFolder: stateFolderOf({ settings, environment }),
    });
    const session = sessionOf(client, temporal, taskQueue);
    const around = { session, settings, environment };
    const close = async (): Promise<void> => {
      await opened.close();
      await client.connection.close();
    };
    return {
      activities: {
        ...opened.activities,
        prepareCampaign: (manifests, rows = {}) => prepareChild(around, manifests, rows),
      },
      interceptors: opened.interceptors,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await client.connection.close();
    throw error;
  }
}

/** One task queue for everything, as with the embedded server. */
function sessionOf(client: Client, { address }: TemporalAddress, taskQueue: string): Session {
  return {
    role: 'joined',
    client,
    taskQueue,
    ui: null,
    recover: () => Promise.reject(new Error(`the connection to ${address} recovers by itself`)),
    close: () => Promise.resolve(),
  };
}

function configured({ temporal }: Settings): TemporalSettings {
  if (temporal) return temporal;
  throw codedError('CONFIG_NO_TEMPORAL', { case: 'library' });
}
