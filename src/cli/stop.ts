/** `hundredfold stop`: ends the host that runs in the background, in order. */
import { setTimeout as delay } from 'node:timers/promises';
import { loadSettings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { readRecord } from '../host/record.ts';
import { isAlive, stopDevServer } from '../temporal/dev-server.ts';
import { say } from './explain.ts';
import type { CommonFlags } from './main.ts';

/** The worker gives POSTs 35 s to come home, then the server is stopped. */
const PATIENCE_MS = 60_000;

export async function stop(flags: CommonFlags): Promise<number> {
  const { embeddedDir } = loadSettings(flags.config, process.env);
  const host = readRecord(embeddedDir, 'host');
  if (host && isAlive(host.pid)) {
    process.kill(host.pid, 'SIGTERM');
    const end = Date.now() + PATIENCE_MS;
    while (isAlive(host.pid) && Date.now() < end) await delay(100);
    if (isAlive(host.pid)) {
      throw new HundredfoldError({
        code: 'HOST_DOES_NOT_STOP',
        message: `process ${host.pid} does not end`,
        remedy: `End it by force (kill -9 ${host.pid}): campaigns are durable and lose nothing.`,
      });
    }
    say('Stopped. Open campaigns go on with the next command.');
    return EXIT.ok;
  }
  // A host that was killed leaves its server behind.
  const server = readRecord(embeddedDir, 'server');
  const left = server !== null && isAlive(server.pid);
  if (left) await stopDevServer(server);
  say(left ? 'Stopped the server that a killed command had left behind.' : 'Nothing runs here.');
  return EXIT.ok;
}
