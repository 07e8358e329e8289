/** The data of a job. */
import type { ServiceName } from './contract.ts';
import type { EngineJob } from './engines/engine.ts';

export type JobState = 'enqueued' | 'RUNNING' | 'FINISHED' | 'FAILED';

/** The type of a job's request; the words are those of the submit paths. */
export type RequestType = 'single_sequence' | 'msa' | 'shiftcrypt' | 'molecule';

/** A job's row. All times in ms since the epoch. */
export interface Job {
  readonly seq: number;
  /** request_id or hash_id */
  readonly id: string;
  readonly taskId: string;
  readonly service: ServiceName;
  readonly requestType: RequestType;
  /** SHA-256 of the token */
  readonly owner: string;
  readonly jobName: string | null;
  readonly state: JobState;
  /** From 1; incremented when a restart finds the job running. */
  readonly attempt: number;
  readonly progress: number;
  readonly statusMessage: string;
  readonly error: string | null;
  readonly fault: string | null;
  readonly queuedAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly timeLimitMs: number;
  /** Whether the service's website lists it (contract of the molecule service, 1.6). */
  readonly public: boolean;
  /** How often its page was viewed (2.4). */
  readonly views: number;
}

export interface NewJob extends Pick<
  Job,
  | 'id'
  | 'taskId'
  | 'service'
  | 'requestType'
  | 'owner'
  | 'jobName'
  | 'fault'
  | 'timeLimitMs'
  | 'public'
> {
  readonly at: number;
  readonly input: JobInput;
}

export interface JobInput {
  readonly job: EngineJob;
  /** The input as the client sent it: the download format `input`. */
  readonly original: string;
  /** Other fields of the submission that a response repeats: predictor_type, the molecule service's token. */
  readonly details: Readonly<Record<string, string | null>>;
}

/** An entry of the processing log (contract of the prediction service, 2.6). */
export interface LogEntry {
  readonly kind: 'state' | 'message';
  readonly at: number;
  readonly state: string | null;
  readonly progress: number | null;
  readonly message: string | null;
}
