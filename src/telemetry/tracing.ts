/**
 * OpenTelemetry traces, one per item. Nothing of OpenTelemetry is loaded unless the environment names a collector: this
 * file is always loaded, otel.ts only then.
 */
import type { Environment } from '../domain/environment.ts';
import { codedError } from '../domain/errors.ts';
import type { Tracing } from './spans.ts';

/** By the standard variables of OpenTelemetry; an empty one counts as unset. */
export function isTracingWanted(environment: Environment): boolean {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  if (disabled?.toLowerCase() === 'true' || (exporter || 'otlp') !== 'otlp') return false;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } =
    environment;
  return Boolean(traces) || Boolean(all);
}

let opened: Promise<Tracing | null> | null = null;

/**
 * null if no collector is named. One for all workers of the process, because OpenTelemetry is global.
 * @throws HundredfoldError `CONFIG_OTLP_PROTOCOL`
 */
export function openTracing(environment: Environment): Promise<Tracing | null> {
  return (opened ??= isTracingWanted(environment) ? load(environment) : Promise.resolve(null));
}

async function load(environment: Environment): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: traces, OTEL_EXPORTER_OTLP_PROTOCOL: all } =
    environment;
  const protocol = traces || all || 'http/json';
  if (!protocol.startsWith('http/')) {
    throw codedError('CONFIG_OTLP_PROTOCOL', { protocol });
  }
  const { startTracing } = await import('./otel.ts');
  return startTracing(environment);
}
