/** Opens the session of a command: with the configured server, or else with the embedded one. */
import { EmbeddedSession } from './embedded-session.ts';
import type { HostOptions } from './host.ts';
import { checkOpenFiles } from './open-files.ts';
import { RemoteSession } from './remote-session.ts';
import type { Session } from './session.ts';

export async function openSession(options: HostOptions): Promise<Session> {
  const { temporal } = options.settings;
  if (!options.lookOnly) checkOpenFiles();
  return temporal ? RemoteSession.open(temporal, options) : EmbeddedSession.open(options);
}
