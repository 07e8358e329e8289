/** The options of `hundredfold worker`; loaded with the command line, so it imports nothing heavy. */
import { InvalidArgumentError, Option } from 'commander';

export function workerOptions(): Option[] {
  return [
    new Option('--role <role...>', 'tasks of this worker (default: all)').choices([
      ...['submit', 'fetch', 'publish', 'workflows'],
    ]),
    new Option('--identity <name>', 'its name in Temporal (default: host, process id and version)'),
    new Option(
      '--metrics-port <n>',
      'port for /metrics (Prometheus), /healthz and /readyz; 0: any free port',
    ).argParser(portNumber),
    new Option('--metrics-host <address>', 'address for these endpoints (default: 127.0.0.1)'),
    new Option('--log-format <format>', 'format of the log on stderr (default: text)').choices([
      'text',
      'json',
    ]),
  ];
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
