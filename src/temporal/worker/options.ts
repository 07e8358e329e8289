/** What a worker is started with. */
import type { Client } from '@temporalio/client';
import type { ServiceSettings } from '../../config/services.ts';
import type { NotifySettings } from '../../config/settings.ts';
import type { Environment } from '../../domain/process.ts';
import type { Observation } from '../telemetry/observation.ts';
import type { Build } from '../deployment.ts';
import type { TemporalAddress } from '../connection.ts';
import type { Role } from '../../workflows/names.ts';
import type { EmbeddedServer } from '../tree-holder.ts';

export interface WorkerOptions {
  readonly temporal: TemporalAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** The services that this worker has an address and a token for. */
  readonly services: readonly ServiceSettings[];
  /** How to notify of the end of a campaign; by default there is no notification. */
  readonly notify?: NotifySettings;
  /** The server of `client`, if it is an embedded one; null or absent for a remote Temporal. */
  readonly embedded?: EmbeddedServer | null;
  /** The command of a notification gets it without secrets. */
  readonly environment: Environment;
  /** Folder of the ledger that all workers of this user and machine share (src/state.ts). */
  readonly stateFolder: string;
  /** The worker only answers queries about campaigns. */
  readonly workflowsOnly?: boolean;
  /** Its roles, if it shares the Temporal with workers of other users. Default: all, as the only worker. */
  readonly roles?: readonly Role[];
  /** Its version of the program, if the workers of a Temporal are versioned. */
  readonly build?: Build;
  /** Shows operators what the worker does; default: nothing. */
  readonly observation?: Observation;
}
