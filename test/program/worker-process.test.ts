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

  test('is restarted for commands that wait for a campaign, and for no others', () => {
    for (const command of ['adopt', 'host', 'retry', 'run', 'watch', 'worker'])
      expect(typed('-q', command, '--config', 'x'), command).not.toBeNull();
    for (const words of [['items', 'x'], ['status', 'run'], ['--version'], []])
      expect(typed(...words), words.join(' ')).toBeNull();
  });

  test.each([
    ['it has the settings', { execArgv: ['--max-semi-space-size=4'] }],
    ['the user has configured the allocator', { env: { MALLOC_ARENA_MAX: '8' } }],
    ['a channel to its parent is open', { connected: true }],
    ['the system is not Linux', { platform: 'darwin' }],
    ['it reads an open file descriptor', { argv: ['node', 'bin', 'run', '/dev/fd/63'] }],
  ] as const)('is not restarted if %s', (_, different) => {
    expect(restarted(different as Partial<NodeJS.Process>)).toBeNull();
  });
});
