/**
 * The SDK's runtime: one per process, installed with the first worker. Its log target and the address of its metrics
 * must be set before.
 */
import { DefaultLogger, makeTelemetryFilterString, Runtime, type Logger } from '@temporalio/worker';
import type { MetricMeter } from '@temporalio/common';
import { logLine, logTarget } from './log.ts';
import { HISTOGRAM_BUCKETS } from './metrics.ts';

/** An SDK warning about workers that only run activities, as those of a token do (src/temporal/workers.ts). */
const INTENDED = 'No workflows registered, not polling for workflow tasks';

/** An item that fails or is held fails its workflow: its end is on disk, and no fault of the worker. */
function isItemsEnd({ message, meta }: { message: string; meta?: unknown }): boolean {
  return (
    message === 'Workflow failed' && (meta as { workflowType?: string }).workflowType === 'item'
  );
}

/** At a Temporal that several hosts share, others see by it who works (src/temporal/namespace.ts). */
const HEARTBEAT = '1s';

let metricsAddress: string | null = null;
let installed = false;

/** Starts the runtime with its metrics at HOST:PORT; call it before the first worker. */
export function startRuntimeWithMetrics(address: string): MetricMeter {
  metricsAddress = address;
  startRuntime({ isShared: true });
  return Runtime.instance().metricMeter;
}

/**
 * Not before there is a worker: the runtime wakes several times per second for the log, even in a command without one.
 * @param isShared whether its Temporal is not the embedded one
 */
export function startRuntime({ isShared }: { readonly isShared: boolean }): void {
  const target = logTarget();
  if (installed || target === null) return;
  installed = true;
  const { write, level, format } = target;
  const logger = new DefaultLogger(level, (entry) => {
    if (entry.message !== INTENDED && !isItemsEnd(entry)) write(logLine(entry, format));
  });
  // The core writes its own log to stdout unless it is forwarded: stdout is for `--json` alone.
  const filter = makeTelemetryFilterString({ core: level, other: 'ERROR' });
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { filter, forward: {} },
      ...(metricsAddress !== null && {
        metrics: {
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
            histogramBucketOverrides: HISTOGRAM_BUCKETS,
          },
        },
      }),
    },
    shutdownSignals: [],
    ...(isShared && { workerHeartbeatInterval: HEARTBEAT }),
  });
}

/** The log of the worker; it exists as soon as `startRuntime` has run. */
export function readWorkerLog(): Logger {
  return Runtime.instance().logger;
}
