/** A service that runs an endless job, for a test to kill: the runner, its folder and the script are its arguments. */
import { RUNNERS } from './engine-runners.ts';

const [kind = '', folder = '', script = ''] = process.argv.slice(2);
await RUNNERS[kind as 'fork'](folder).start(script, {
  signal: new AbortController().signal,
  heartbeatEveryMs: 100,
  heartbeat: () => undefined,
}).end;
