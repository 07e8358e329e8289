/**
 * Who works on a task queue, by the heartbeats that workers send to the server. A hint for words: polls, leases and
 * fences decide. Rejected: the pollers of a task queue, which the server lists for minutes after they have ended.
 */
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { closedBy, type Closed } from './namespace.ts';

/** A worker that has not stopped; it may have been killed. */
export interface WorkerSeen {
  readonly identity: string;
  /** `DEPLOYMENT:BUILD`; null without worker versioning. */
  readonly version: string | null;
  /** Its last heartbeat, in ms since the epoch by the clock of its host. */
  readonly at: number;
}

const { WORKER_STATUS_RUNNING: RUNNING } = proto.temporal.api.enums.v1.WorkerStatus;
/** One look compares the clocks of two hosts (ms). */
const RECENT_MS = 30_000;

export function isRecent({ at }: WorkerSeen): boolean {
  return Date.now() - at < RECENT_MS;
}

/** Servers before 1.29 do not know the call, and have it closed. */
export async function readHeartbeats(
  client: Client,
  taskQueue: string,
): Promise<WorkerSeen[] | Closed> {
  const { namespace } = client.options;
  const query = `TaskQueue = "${taskQueue}"`;
  try {
    const { workersInfo } = await client.workflowService.listWorkers({ namespace, query });
    return workersInfo.flatMap(({ workerHeartbeat: beat }) => {
      if (beat?.status !== RUNNING) return [];
      const { deploymentName, buildId } = beat.deploymentVersion ?? {};
      const { seconds, nanos } = beat.heartbeatTime ?? {};
      return {
        identity: beat.workerIdentity ?? '',
        version: deploymentName ? `${deploymentName}:${buildId ?? ''}` : null,
        at: Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6,
      };
    });
  } catch (error) {
    return closedBy('ListWorkers', error);
  }
}
