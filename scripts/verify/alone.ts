import type { EngineContext } from '../../src/local-services/engines/engine.ts';

/** Nobody waits for a heartbeat here. */
export const ALONE: EngineContext = {
  signal: new AbortController().signal,
  heartbeatEveryMs: 1000,
  progress: () => undefined,
  heartbeat: () => undefined,
};
