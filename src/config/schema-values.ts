/** Types of values that are used by several keys. */
import { z } from 'zod';
import { parseDuration } from '../domain/duration.ts';

const EDITOR_DURATION = '^(?=[^1-9]*[1-9])\\s*\\d+(?:\\.\\d+)?\\s*(?:ms|s|m|h|d)?\\s*$';

/** `60m`, `1h`, `10s`, `500ms`, or a number of ms. Becomes ms. */
export const duration = z
  .union([z.number().meta({ exclusiveMinimum: 0 }), z.string().meta({ pattern: EDITOR_DURATION })])
  .transform((value, context) => {
    const parsed = parseDuration(String(value));
    if (parsed !== null) return parsed;
    context.addIssue(`not a length of time: ${String(value)} (write 60m, 1h, 10s or 500ms)`);
    return z.NEVER;
  });

/** A result is checked in memory, as one text: V8 limits its length. */
const LARGEST_DOWNLOAD = 512_000_000;

/** `64MB`, `1.5GB`, or a number of bytes. Becomes bytes. */
const downloadSize = z
  .union([
    z.number().meta({ exclusiveMinimum: 0, maximum: LARGEST_DOWNLOAD }),
    z.string().meta({
      pattern: '^(?=[^1-9]*[1-9])\\s*\\d+(?:\\.\\d+)?\\s*(?:(?:[kKmMgG][iI]?)?[bB])?\\s*$',
    }),
  ])
  .transform((value, context) => {
    const parsed = parseSize(String(value));
    if (parsed !== null && parsed <= LARGEST_DOWNLOAD) return parsed;
    context.addIssue(`not a size up to 512MB: ${String(value)} (write 64MB, or a number of bytes)`);
    return z.NEVER;
  });

export const maxDownload = downloadSize.meta({
  description:
    'Maximum size of one downloaded file. If a file is larger, its item fails with RESULT_TOO_LARGE.',
  default: '64MB',
  examples: ['256MB'],
});

/** Never a literal: a token in a file that is shared or committed is compromised. */
export const secretSource = z
  .strictObject({
    env: z.string().meta({ description: 'The environment variable that holds it.' }),
  })
  .or(
    z.strictObject({
      file: z.string().meta({
        description:
          'A file that contains nothing else; its path is relative to the configuration file.',
      }),
    }),
  );

/** An environment variable gives it as text. */
const count = z
  .int()
  .positive()
  .or(
    z
      .string()
      .regex(/^\s*0*[1-9]\d{0,14}\s*$/)
      .transform(Number),
  );

const MAX_LIMIT = 10_000;
/** More have no use, and each costs the budget some hundred remembered times. */
const MAX_WINDOWS = 5;

const limitedCount = z
  .int()
  .positive()
  .max(MAX_LIMIT)
  .or(
    z
      .string()
      .regex(/^\s*0*(?:[1-9]\d{0,3}|10000)\s*$/)
      .transform(Number),
  );

const window = z.strictObject({
  limit: limitedCount.meta({
    description: `Accepted jobs in one window, at most ${MAX_LIMIT}.`,
    examples: [100],
  }),
  window: duration.meta({
    description: 'Length of the rolling window. A bare number is milliseconds.',
    examples: ['60m', '10s'],
  }),
});

/** `none` (or nothing, if that is the default) means that the service has no limit. Of several windows all hold at once. */
export const budget = z.union([z.literal('none'), window, z.array(window).min(1).max(MAX_WINDOWS)]);

export const url = z.url({ protocol: /^https?$/ });

/** `none`, or a number. */
export const bound = z.literal('none').or(count);

/** Of addresses, for descriptions. */
export const address = 'http or https, without user name, query and fragment';

export { flag } from '../services/service.ts';

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** `512MB`, `1.5 GB`, `64MiB`, `20000B`, or a bare number of bytes. Null when invalid or not above zero. */
export function parseSize(text: string): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,15})?)\s*((?:[kmg]i?)?b)?$/i.exec(text.trim());
  if (!match) return null;
  const bytes = Math.ceil(
    Number(match[1]) * (UNITS[(match[2] ?? 'b').toLowerCase()] ?? Number.NaN),
  );
  return bytes > 0 ? bytes : null;
}
