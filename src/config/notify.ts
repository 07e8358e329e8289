/** Who is told when a campaign has ended. */
import type { NotifyWay } from '../domain/campaign.ts';
import type { Config } from './schema.ts';
import { Secret, type SecretSource } from './secret.ts';

export interface NotifySettings {
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  /** Variables that the command does not inherit, beside those of ours (secret-variables.ts). */
  readonly secretVariables?: readonly string[];
  readonly webhook: {
    /** Often all that it takes to write there: kept like a token. */
    readonly url: Secret;
    readonly token: Secret | null;
  } | null;
}

export const NOBODY: NotifySettings = { command: null, webhook: null };

/** @param read throws CONFIG_SECRET_MISSING */
export function notifySettings(
  notify: Config['notify'],
  read: (key: string, source: SecretSource) => Secret,
): NotifySettings {
  const { command = null, url, token } = notify ?? {};
  if (url === undefined) return { command, webhook: null };
  return {
    command,
    webhook: {
      url: typeof url === 'string' ? new Secret(url) : read('notify.url', url),
      token: token === undefined ? null : read('notify.token', token),
    },
  };
}

/** All that a campaign, and so a history, is told of it. */
export function notifyWays({ command, webhook }: NotifySettings): readonly NotifyWay[] {
  return [...(command ? (['command'] as const) : []), ...(webhook ? (['webhook'] as const) : [])];
}
