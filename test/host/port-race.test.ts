/** Another program takes the port of the embedded server after it was found free. */
import { chmodSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporalCli } from '../../src/temporal/cli.ts';
import { desk } from '../cli/command.ts';

/** Occupies the port of the first server that is started, and then starts the real one. */
const QUICKER = (folder: string, cli: string) => `#!/bin/sh
port=$(echo "$*" | sed -n 's/.* --port \\([0-9]*\\).*/\\1/p')
if [ -n "$port" ] && [ ! -e '${folder}/lost' ]; then
  python3 -c "
import socket, time
taken = socket.create_server(('127.0.0.1', $port))
open('${folder}/lost', 'w').write('$port')
time.sleep(60)
" > /dev/null 2>&1 &
  echo $! > '${folder}/quicker.pid'
  while [ ! -s '${folder}/lost' ]; do sleep 0.05; done
fi
exec '${cli}' "$@"
`;

test('the server starts on another port if its port is taken just before the start', async () => {
  const at = desk();
  const cli = at.write('temporal', QUICKER(at.folder, temporalCli()));
  chmodSync(cli, 0o755);
  const { stderr } = await at.runs(0, ['status', '--json'], { env: { TEMPORAL_CLI: cli } });
  expect(stderr).not.toContain('goroutine');
  const { address } = at.record('server') as { address: string };
  const lost = readFileSync(at.path('lost'), 'utf8');
  expect(lost).toMatch(/^\d+$/);
  expect(address).not.toBe(`127.0.0.1:${lost}`);
  process.kill(Number(readFileSync(at.path('quicker.pid'), 'utf8')));
}, 120_000);
