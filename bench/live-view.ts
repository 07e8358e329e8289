/**
 * The cost of watching a campaign of 10,000 items that runs in the background: CPU time of the watching process, on a
 * terminal, and the cost of its queries in worker and server.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BIN, Bench, ENVIRONMENT, sequences } from './command.ts';
import { childrenOf, cpuSeconds, embeddedProcesses } from './processes.ts';

const STRETCH_MS = 30_000;
/** Loading the program is not part of watching. */
const SETTLES_MS = 10_000;

export async function liveView(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    // Some jobs each second, without an end: every poll finds a change.
    await bench.serve(
      ['--engine', 'synthetic', '--limit', '10', '--window', '10s', '--job-time', '500ms'],
      '{ limit: 10, window: 10s }',
    );
    const manifest = await bench.manifest(sequences(items));
    const { code, stderr } = await bench.run('run', manifest, '--yes', '--detach');
    if (code !== 0) throw new Error(stderr);
    const busy = await watched(bench);
    await bench.run('pause', 'bench');
    await delay(SETTLES_MS);
    const alone = await others(bench);
    const quiet = await watched(bench);
    await bench.run('stop');
    const added = quiet.others - alone;
    return [
      `${items} items: the watching process takes ${percent(busy.watcher)} of a core while items end`,
      `${percent(quiet.watcher)} while nothing happens`,
      `worker and server then take ${percent(added)} more than without it (${percent(alone)})`,
    ].join(', ');
  } finally {
    await bench.run('stop');
    await bench.close();
  }
}

/** Shares of a core. */
interface Shares {
  readonly watcher: number;
  readonly others: number;
}

async function watched(bench: Bench): Promise<Shares> {
  const terminal = spawn('python3', ['-c', TERMINAL, process.execPath, BIN, 'watch', 'bench'], {
    cwd: bench.folder,
    env: {
      ...ENVIRONMENT,
      TERM: 'xterm-256color',
      HUNDREDFOLD_STATE_DIR: join(bench.folder, 'state'),
    },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  try {
    await delay(SETTLES_MS);
    const watcher = pidOf(terminal.pid ?? 0);
    const before = {
      watcher: cpuSeconds(watcher),
      others: othersSeconds(bench),
      at: Date.now(),
    };
    await delay(STRETCH_MS);
    const took = (Date.now() - before.at) / 1_000;
    return {
      watcher: (cpuSeconds(watcher) - before.watcher) / took,
      others: (othersSeconds(bench) - before.others) / took,
    };
  } finally {
    const ended = new Promise((resolve) => terminal.once('exit', resolve));
    // Ctrl-C.
    terminal.stdin.write('\u0003');
    await ended;
  }
}

async function others(bench: Bench): Promise<number> {
  const before = othersSeconds(bench);
  await delay(STRETCH_MS);
  return ((othersSeconds(bench) - before) * 1_000) / STRETCH_MS;
}

/** A terminal of 100 x 30. */
const TERMINAL = `
import pty, sys
pty.spawn(['sh', '-c', 'stty cols 100 rows 30; exec "$@"', 'sh'] + sys.argv[1:])
`;

/** CPU time of worker and server so far, in s. */
function othersSeconds({ folder }: Bench): number {
  const { host, server } = embeddedProcesses(folder);
  return cpuSeconds(host) + cpuSeconds(server);
}

/** The process that the terminal was opened for. */
function pidOf(terminal: number): number {
  const [child] = childrenOf(terminal);
  if (child === undefined) throw new Error('nobody watches');
  return child;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
