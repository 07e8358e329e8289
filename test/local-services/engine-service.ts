/** A service that runs an endless job, for a test to kill: the folder and the script are its arguments. */
import { runProgram } from '../../packages/local-services/src/engines/process.ts';

const [folder = '', script = ''] = process.argv.slice(2);
const { PATH = '' } = process.env;
await runProgram(
  {
    command: '/usr/bin/env',
    args: ['python3', '-c', script],
    environment: { PATH },
    folder,
  },
  {
    signal: new AbortController().signal,
    heartbeatEveryMs: 100,
    heartbeat: () => undefined,
  },
);
