import { describe, expect, test } from 'vitest';
import { restartOf } from '../../src/program/worker-process.ts';

const PROCESS = {
  argv: ['/bin/node', '/program/bin/hundredfold.js', 'run', 'table.csv'],
  env: { PATH: '/bin', NODE_OPTIONS: '--trace-warnings' },
  execArgv: ['--enable-source-maps'],
  execPath: '/bin/node',
  platform: 'linux',
  connected: false,
} as const satisfies Partial<NodeJS.Process>;

function restarted(different: Partial<NodeJS.Process>) {
  return restartOf({
    ...PROCESS,
    argv: [...PROCESS.argv],
    execArgv: [...PROCESS.execArgv],
    ...different,
  });
}

/** With these words after the name of the program. */
function typed(...words: readonly string[]) {
  return restarted({ argv: [...PROCESS.argv.slice(0, 2), ...words] });
}

describe('the process of a command that runs a worker', () => {
  test('is restarted with fewer arenas, less space for new objects, and the same arguments', () => {
    expect(restarted({})).toEqual({
      file: '/bin/node',
      args: [
        ...['/bin/node', '--enable-source-maps', '--max-semi-space-size=4'],
        ...['/program/bin/hundredfold.js', 'run', 'table.csv'],
      ],
      env: { ...PROCESS.env, MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '524288' },
    });
  });

  test.each(['adopt', 'host', 'retry', 'run', 'watch', 'worker'])(
    'is restarted for `%s`',
    (command) => {
      expect(typed('-q', command, '--config', 'x')).not.toBeNull();
    },
  );

  test.each([['items', 'x'], ['status', 'run'], ['--version'], []])(
    'is not restarted for `%s %s`',
    (...words) => {
      expect(typed(...words)).toBeNull();
    },
  );

  test('is not restarted if it has the settings', () => {
    const args = restarted({})?.args ?? [];
    expect(restarted({ execArgv: args.slice(1, 3) })).toBeNull();
  });

  test.each([
    ['the user has configured the allocator', { env: { MALLOC_ARENA_MAX: '8' } }],
    ['a channel to its parent is open', { connected: true }],
    ['the system is not Linux', { platform: 'darwin' }],
  ] as const)('is not restarted if %s', (_, different) => {
    expect(restarted(different)).toBeNull();
  });

  test('is not restarted if it reads an open file descriptor', () => {
    expect(typed('run', '/dev/fd/63')).toBeNull();
    expect(typed('run', '/proc/self/fd/11')).toBeNull();
  });
});
