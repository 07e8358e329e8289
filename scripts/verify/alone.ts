import type { EngineContext } from '../../src/local-services/engines/engine.ts';

/** Heartbeats are not needed here. */
export const ALONE: EngineContext = {
  signal: new AbortController().signal,
  heartbeatEveryMs: 1000,
  progress: () => undefined,
  heartbeat: () => undefined,
};
