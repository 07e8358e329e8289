import { describe, expect, test } from 'vitest';
import { restartOf } from '../../src/program/worker-process.js';

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
  test('is started with fewer arenas and less space for new objects, and otherwise as it was', () => {
    expect(restarted({})).toEqual({
      file: '/bin/node',
      args: [
        ...['/bin/node', '--enable-source-maps', '--max-semi-space-size=4'],
        ...['/program/bin/hundredfold.js', 'run', 'table.csv'],
      ],
      env: { ...PROCESS.env, MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '524288' },
    });
  });

  test.each(['adopt', 'host', 'retry', 'run', 'watch', 'worker'])('%s is one', (command) => {
    expect(typed('-q', command, '--config', 'x')).not.toBeNull();
  });

  test.each([['list'], ['status', 'run'], ['--version'], ['service', 'worker'], []])(
    '%s %s is none',
    (...words) => {
      expect(typed(...words)).toBeNull();
    },
  );

  test('is not started again once it has the settings', () => {
    const args = restarted({})?.args ?? [];
    expect(restarted({ execArgv: args.slice(1, 3) })).toBeNull();
  });

  test.each([
    ['the user has set up the allocator', { env: { MALLOC_ARENA_MAX: '8' } }],
    ['a channel to its parent is open', { connected: true }],
    ['the system is another one', { platform: 'darwin' }],
  ] as const)('stays as it is if %s', (_, different) => {
    expect(restarted(different)).toBeNull();
  });

  test('stays as it is if it is to read an open file', () => {
    expect(typed('run', '/dev/fd/63')).toBeNull();
    expect(typed('run', '/proc/self/fd/11')).toBeNull();
  });
});
