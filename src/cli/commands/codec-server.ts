/** `hundredfold codec-server`: lets the Temporal UI and CLI read what the payload codec has encrypted. */
import { loadSettings } from '../../config/settings.ts';
import { isLocalHost } from '../../domain/local-host.ts';
import { codedError, EXIT } from '../../domain/errors.ts';
import { startCodecServer } from '../../temporal/codec-server.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';

export interface CodecServerFlags extends CommonFlags {
  readonly port: number;
  readonly host: string;
  readonly uiOrigin: string;
}

export async function codecServer(flags: CodecServerFlags): Promise<number> {
  const { codec: keys } = loadSettings(flags.config, process.env, { tokens: 'optional' });
  if (!keys) {
    throw codedError('CONFIG_NO_CODEC', {});
  }
  const { port, host, uiOrigin } = flags;
  const server = await startCodecServer({ keys, port, host, uiOrigin });
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  say(
    `codec server at ${server.url} for pages of ${uiOrigin}, with the keys ${[...keys.keys.keys()].join(', ')}`,
  );
  if (!isLocalHost(host.includes(':') ? `[${host}]` : host))
    say(
      '  Anyone who can reach this address can decrypt: put a gateway with authentication and TLS in front of it.',
    );
  await ended;
  await server.close();
  return EXIT.ok;
}
