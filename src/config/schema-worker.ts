/** The keys of `worker`: what `hundredfold worker` shows operators about itself. */
import { z } from 'zod';

/** An environment variable gives it as text. */
const port = z
  .int()
  .min(0)
  .max(65_535)
  .or(
    z
      .string()
      .regex(/^(?:0|[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/)
      .transform(Number),
  );

const metrics = z
  .strictObject({
    port: port.meta({
      description:
        'Port of /metrics (Prometheus), /healthz and /readyz; 0: any free port. If not set, there is no endpoint.',
      examples: [9464],
    }),
    host: z.string().meta({
      description:
        'Address to listen on. 0.0.0.0 lets other machines read. There is no login: use it only in a private network.',
      default: '127.0.0.1',
      examples: ['0.0.0.0'],
    }),
  })
  .partial();

export const worker = z
  .strictObject({
    metrics: metrics.meta({ description: 'The HTTP endpoint of `hundredfold worker`.' }),
    logFormat: z.enum(['text', 'json']).meta({
      description: 'Format of the log of `hundredfold worker` on stderr.',
      default: 'text',
    }),
  })
  .partial()
  .meta({
    description: 'Settings of the command `hundredfold worker`; other commands ignore them.',
  });

export interface WorkerSettings {
  /** null: no endpoint. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly logFormat: 'text' | 'json';
}

export function workerSettings(config: z.output<typeof worker> | undefined): WorkerSettings {
  const { metrics: place, logFormat = 'text' } = config ?? {};
  const { port: wanted, host = METRICS_HOST } = place ?? {};
  return { metrics: wanted === undefined ? null : { host, port: wanted }, logFormat };
}

/** By default, metrics can only be read on this machine. */
export const METRICS_HOST = '127.0.0.1';
