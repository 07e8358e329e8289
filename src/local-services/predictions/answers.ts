/** The responses of the prediction service (its contract, 2), for its OpenAPI document. */
import { z } from 'zod';

const UUID = z.uuid();
/** ISO 8601 with UTC offset. */
const MOMENT = z.string().meta({ override: { format: 'date-time' } });
const CLOCK = z
  .string()
  .regex(/^\d{2,}:\d{2}:\d{2}$/)
  .meta({ description: 'HH:MM:SS' });
const SECONDS = z.int().min(0);

/** 2.2 */
export const acknowledgementSchema = z
  .strictObject({
    request_id: UUID,
    task_id: UUID,
    status: z.literal('enqueued'),
    message: z.string(),
  })
  .meta({ id: 'Acknowledgement' });

/** 9.3 */
export const earlierAcknowledgementSchema = acknowledgementSchema
  .pick({ request_id: true, status: true })
  .meta({ id: 'Acknowledgement' });

/** 2.4 */
const timingSchema = z
  .strictObject({
    queued_at: MOMENT,
    started_at: MOMENT.nullable(),
    finished_at: MOMENT.nullable(),
    queue_wait: CLOCK,
    queue_wait_seconds: SECONDS,
    elapsed_time: CLOCK,
    elapsed_seconds: SECONDS,
    left_time: CLOCK.nullable(),
    left_seconds: SECONDS.nullable(),
    wall_time: CLOCK,
    wall_seconds: SECONDS,
    time_limit: CLOCK,
    time_limit_seconds: SECONDS,
    last_heartbeat_at: MOMENT.nullable(),
    heartbeat_age_seconds: SECONDS.nullable(),
  })
  .meta({ id: 'Timing' });
export type Timing = z.infer<typeof timingSchema>;

/** 2.3 */
export const statusEnvelopeSchema = z
  .strictObject({
    request_id: UUID,
    status: z.enum(['enqueued', 'RUNNING', 'FINISHED', 'FAILED']),
    request_type: z.enum(['single_sequence', 'msa', 'shiftcrypt']),
    progress: z.int(),
    attempt: z.int().meta({ description: 'From 1; a restart of the service runs a job again' }),
    created_at: MOMENT,
    updated_at: MOMENT,
    error: z.string().nullable(),
    status_message: z.string(),
    history_url: z.string(),
    timing: timingSchema,
  })
  .meta({ id: 'StatusEnvelope' });
export type StatusEnvelope = z.infer<typeof statusEnvelopeSchema>;

/** 9.6 */
export const earlierStatusSchema = z
  .strictObject({ status: z.literal('RUNNING') })
  .meta({ id: 'Status' });
export const earlierFailureSchema = z.strictObject({ error: z.string() }).meta({ id: 'Failure' });

/** 2.5: the engine's output; an array for shifts. */
export const predictionSchema = z
  .union([z.looseObject({}), z.array(z.looseObject({}))])
  .meta({ id: 'Prediction', description: 'As the engine wrote it; an array for shifts' });

/** 9.5 */
export const wrappedPredictionSchema = z
  .strictObject({
    status: z.literal('success'),
    predictor: z.string(),
    timestamp: MOMENT,
    results: z.strictObject({ sequence: z.string(), prediction: predictionSchema }),
  })
  .meta({ id: 'WrappedPrediction' });

const stateEntrySchema = z
  .strictObject({
    kind: z.literal('state'),
    timestamp: MOMENT,
    state: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'StateEntry' });
const messageEntrySchema = z
  .strictObject({
    kind: z.literal('message'),
    timestamp: MOMENT,
    progress: z.int().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'MessageEntry' });

/** 2.6 */
export const historySchema = z
  .strictObject({
    timeline: z.array(z.union([stateEntrySchema, messageEntrySchema])),
    history: z.array(stateEntrySchema),
    messages: z.array(messageEntrySchema),
  })
  .meta({ id: 'ProcessingLog' });
export type History = z.infer<typeof historySchema>;

/** 2.7 */
export const pastResultsSchema = z.array(
  statusEnvelopeSchema.extend({ job_name: z.string().nullable() }).meta({ id: 'PastResult' }),
);
export type PastResults = z.infer<typeof pastResultsSchema>;

/** 4.8 */
export const shiftAlignmentSchema = z.array(
  z
    .strictObject({
      request_id: UUID,
      job_name: z.string().nullable(),
      chains: z.array(
        z.looseObject({
          ID_file: z.unknown(),
          chainCode: z.unknown(),
          sequence: z.unknown(),
          seqCodes: z.unknown(),
        }),
      ),
    })
    .meta({ id: 'ShiftChains' }),
);
