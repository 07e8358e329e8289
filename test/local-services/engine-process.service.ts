/** A service that runs an endless program and prints the id of its process, for a test to kill. */
import { tmpdir } from 'node:os';
import { runProgram } from '../../src/local-services/engines/real/process.ts';

await runProgram(
  {
    command: '/bin/sh',
    args: ['-c', 'echo $$; sleep 600'],
    environment: { PATH: '/usr/bin:/bin' },
    folder: tmpdir(),
    memoryMb: 100,
  },
  {
    signal: new AbortController().signal,
    heartbeatEveryMs: 1000,
    heartbeat: () => undefined,
    onOutput: (bytes) => void process.stdout.write(bytes),
  },
);
