/** The responses of the prediction service (its contract, 2). */
import type { JobState, RequestType } from '../job.ts';

/** 2.4: moments are ISO 8601 with UTC offset, durations `HH:MM:SS` and seconds. */
export interface Timing {
  readonly queued_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly queue_wait: string;
  readonly queue_wait_seconds: number;
  readonly elapsed_time: string;
  readonly elapsed_seconds: number;
  readonly left_time: string | null;
  readonly left_seconds: number | null;
  readonly wall_time: string;
  readonly wall_seconds: number;
  readonly time_limit: string;
  readonly time_limit_seconds: number;
  readonly last_heartbeat_at: string | null;
  readonly heartbeat_age_seconds: number | null;
}

/** 2.3 */
export interface StatusEnvelope {
  readonly request_id: string;
  readonly status: JobState;
  readonly request_type: RequestType;
  readonly progress: number;
  /** From 1; a restart of the service runs a job again. */
  readonly attempt: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly error: string | null;
  readonly status_message: string;
  readonly history_url: string;
  readonly timing: Timing;
}

interface StateEntry {
  readonly kind: 'state';
  readonly timestamp: string;
  readonly state: string | null;
  readonly message: string | null;
}

interface MessageEntry {
  readonly kind: 'message';
  readonly timestamp: string;
  readonly progress: number | null;
  readonly message: string | null;
}

/** 2.6 */
export interface History {
  readonly timeline: readonly (StateEntry | MessageEntry)[];
  readonly history: readonly StateEntry[];
  readonly messages: readonly MessageEntry[];
}

/** An entry of 2.7 */
export interface PastResult extends StatusEnvelope {
  readonly job_name: string | null;
}
