/** The configuration file, as the user writes it: docs/configuration.md describes each key. */
import { z } from 'zod';
import { parseDuration } from './duration.ts';

/** `60m`, `1h`, `10s`, `500ms`, or a number of ms. Becomes ms. */
const duration = z.union([z.number(), z.string()]).transform((value, context) => {
  const parsed = parseDuration(String(value));
  if (parsed !== null) return parsed;
  context.addIssue(`not a length of time: ${String(value)} (write 60m, 1h, 10s or 500ms)`);
  return z.NEVER;
});

/** Never a literal: a token in a file that is shared or committed is a token lost. */
const secretSource = z.strictObject({ env: z.string() }).or(z.strictObject({ file: z.string() }));

/** `none` (or nothing, where that is the default) means that the service has no limit. */
const limit = z
  .literal('none')
  .or(z.strictObject({ limit: z.coerce.number().int().positive(), window: duration }));

const url = z.url({ protocol: /^https?$/ });

const service = {
  url,
  token: secretSource,
  budget: limit,
};

export const configSchema = z
  .strictObject({
    temporal: z
      .strictObject({
        address: z.string(),
        namespace: z.string().default('default'),
        taskQueue: z.string().optional(),
        apiKey: secretSource.optional(),
        tls: z
          .strictObject({ ca: z.string(), cert: z.string(), key: z.string() })
          .partial()
          .optional(),
      })
      .partial({ address: true }),
    services: z
      .strictObject({
        molecules: z.strictObject(service).partial({ token: true, budget: true }),
        predictions: z
          .strictObject({
            ...service,
            variant: z.enum(['current', 'earlier']),
            addressBudget: limit,
          })
          .partial({ token: true, budget: true, variant: true, addressBudget: true }),
      })
      .partial(),
    store: z.strictObject({ url: z.string() }),
    embedded: z.strictObject({ dir: z.string() }),
    jobs: z
      .strictObject({ deadline: duration, whenUnsure: z.enum(['hold', 'resubmit']) })
      .partial(),
  })
  .partial();

export type Config = z.output<typeof configSchema>;
