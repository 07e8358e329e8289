/** Responses that both services share, for their OpenAPI documents (docs/contract-choices.md, "Both"). */
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';

const refusalSchema = z
  .strictObject({ error: z.string() })
  .meta({ id: 'Refusal', description: 'Why the request was refused, in words' });

/** Loose, because the framework itself responds while it closes. */
const unavailableSchema = z.looseObject({ error: z.string() }).meta({ id: 'Unavailable' });

/** Contract of the prediction service, 7. */
const rateLimitedSchema = z
  .strictObject({
    error: z.string(),
    limit: z.int().meta({ description: 'Jobs in the rolling window' }),
    remaining: z.int(),
    reset_after: z.int().meta({ description: 'Seconds until the next place is free' }),
  })
  .meta({ id: 'RateLimited' });

const count = (description: string) => z.string().regex(/^\d+$/).meta({ description });

export const RETRY_AFTER = z.object({
  'Retry-After': count('Seconds to wait before asking again'),
});

/** Section 8 of the contract of the prediction service; the molecule service sends them where it has a limit. */
export const RATE_LIMIT_HEADERS = z.object({
  'X-RateLimit-Limit': count('Jobs in the rolling window'),
  'X-RateLimit-Remaining': count('Jobs left in the window'),
  'X-RateLimit-Reset': count('Seconds until the next place is free'),
});

export function json(
  description: string,
  schema: z.ZodType,
  headers?: z.ZodObject,
): ZodOpenApiResponseObject {
  const content = { 'application/json': { schema } };
  return { description, content, ...(headers === undefined ? {} : { headers }) };
}

export function refusal(description: string): ZodOpenApiResponseObject {
  return json(description, refusalSchema);
}

/** Possible responses of every endpoint. */
export const ALWAYS: ZodOpenApiResponsesObject = {
  400: refusal('The request cannot be read'),
  431: refusal('The headers are too large'),
  503: json('The service is being stopped', unavailableSchema),
};

/** Possible responses of every submission instead of its acknowledgement. */
export const SUBMISSION_REFUSALS: ZodOpenApiResponsesObject = {
  400: refusal('Something in the body is missing or wrong, or it cannot be read'),
  413: refusal('The body is too large'),
  415: refusal('The body is of another content type'),
  429: json(
    'Too many jobs in the rolling window of this token or network address',
    rateLimitedSchema,
    RETRY_AFTER,
  ),
  503: json(
    'Too many jobs of this token wait for a worker (with Retry-After), or the service is being stopped: nothing was accepted, nothing counted',
    unavailableSchema,
    RETRY_AFTER.partial(),
  ),
};
