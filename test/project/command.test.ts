import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Checkout } from './checkout.ts';

const ECHO = `console.log(JSON.stringify(process.argv.slice(2)));`;

describe('bin/hundredfold.js on a recent Node', () => {
  test.runIf(process.platform === 'linux' && 'execve' in process)(
    'replaces its process once if the command runs a worker, and keeps id, arguments, stdin and environment',
    async () => {
      using checkout = new Checkout();
      checkout.write(
        'src/cli/main.ts',
        `import { readFileSync } from 'node:fs';
         const { pid, execArgv, argv, env } = process;
         const begun = readFileSync('/proc/self/environ', 'utf8').includes('MALLOC_ARENA_MAX=2');
         const left = Object.keys(env).filter((name) => name.startsWith('MALLOC_'));
         const stdin = readFileSync(0, 'utf8');
         console.log(JSON.stringify({ pid, execArgv, typed: argv.slice(2), own: env['OWN'], begun, left, stdin }));
         process.exitCode = 3;`,
      );
      const { child, ended } = checkout.start('bin/hundredfold.js', ['run', 'a b'], { OWN: 'x=y' });
      const { stdout, stderr, code } = await ended;
      expect(JSON.parse(stdout)).toEqual({
        pid: child.pid,
        execArgv: ['--max-semi-space-size=4', '--heap-growing-percent=25'],
        typed: ['run', 'a b'],
        own: 'x=y',
        begun: true,
        left: [],
        stdin: '',
      });
      expect({ stderr, code }).toEqual({ stderr: '', code: 3 });
    },
  );
});

/** The same program, with every Node taken as too old; the pinned Node runs `script` in its place. */
function onOldNode(checkout: Checkout, script: string): void {
  const bin = readFileSync(checkout.path('bin/hundredfold.js'), 'utf8');
  const older = bin.replace('const MIN_NODE = [22, 23]', 'const MIN_NODE = [999, 0]');
  expect(older, 'the line to replace is there').not.toBe(bin);
  checkout.write('bin/hundredfold.js', older);
  const main = checkout.write('pinned.js', script);
  const name = `node-${process.platform}-${process.arch}`;
  const node = checkout.write(
    `node_modules/${name}/bin/node`,
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`,
  );
  chmodSync(node, 0o755);
}

describe('bin/hundredfold.js on an old Node', () => {
  test('starts the pinned Node, with the arguments, and exits with its code', async () => {
    using checkout = new Checkout();
    onOldNode(checkout, `${ECHO} process.exitCode = 3;`);
    const { stdout, code } = await checkout.start('bin/hundredfold.js', ['plan', 'a b']).ended;
    expect({ stdout, code }).toEqual({ stdout: '["plan","a b"]\n', code: 3 });
  });

  test('passes a signal on', async () => {
    using checkout = new Checkout();
    onOldNode(
      checkout,
      `process.on('SIGTERM', () => { console.log('got it'); process.exit(130); });
       setInterval(() => {}, 1000); console.log('ready');`,
    );
    const started = checkout.start('bin/hundredfold.js');
    // Its signal handlers are installed by then.
    await started.says('ready');
    started.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 130, stdout: 'ready\ngot it\n' });
  });

  test('ends by the same signal as the command', async () => {
    using checkout = new Checkout();
    onOldNode(checkout, `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`);
    expect(await checkout.start('bin/hundredfold.js').ended).toMatchObject({ signal: 'SIGTERM' });
  });

  test('shows a remedy if there is no pinned Node', async () => {
    using checkout = new Checkout();
    onOldNode(checkout, '');
    rmSync(checkout.path('node_modules'), { recursive: true });
    const { code, stderr } = await checkout.start('bin/hundredfold.js').ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NODE_TOO_OLD: hundredfold needs Node .* this is v/);
  });
});
