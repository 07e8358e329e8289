/** A service that runs an endless job with the installed engine of its argument, for a test to kill. */
import { WarmB2bTools } from '../../src/local-services/engines/real/b2btools/warm.ts';

const [folder = '', log = '', script = ''] = process.argv.slice(2);
await new WarmB2bTools({ engine: 'b2btools', version: '0.0', folder, packages: {} }).run(
  { program: 'b2bTools', args: [script], folder, log, memoryMb: 1000 },
  {
    signal: new AbortController().signal,
    heartbeatEveryMs: 100,
    heartbeat: () => undefined,
  },
);
