/** Settings of the notifications at the end of a campaign. */
import type { NotifyWay } from '../domain/campaign.ts';
import { webhookNetwork, type NetworkSettings } from './network.ts';
import type { Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace } from './secret.ts';

export interface NotifySettings {
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  /** Variables that the command does not inherit, in addition to ours (secret-variables.ts). */
  readonly secretVariables?: readonly string[];
  readonly webhook: {
    /** Often sufficient for posting to the channel: treated like a token. */
    readonly url: Secret;
    readonly token: Secret | null;
    readonly network: NetworkSettings;
  } | null;
}

export const NOBODY: NotifySettings = { command: null, webhook: null };

/** Throws CONFIG_SECRET_MISSING, CONFIG_TOKEN_OVER_HTTP, CONFIG_TLS_INVALID or CONFIG_INVALID. */
export function notifySettings(notify: Config['notify'] = {}, place: SecretPlace): NotifySettings {
  const { command = null, url: address, token } = notify;
  if (address === undefined) return { command, webhook: null };
  const url =
    typeof address === 'string' ? new Secret(address) : readSecret('notify.url', address, place);
  return {
    command,
    webhook: {
      url,
      token: token === undefined ? null : readSecret('notify.token', token, place),
      network: webhookNetwork(url, notify, place),
    },
  };
}

/** The only part of it that a campaign, and therefore a history, contains. */
export function notifyWays({ command, webhook }: NotifySettings): readonly NotifyWay[] {
  return [...(command ? (['command'] as const) : []), ...(webhook ? (['webhook'] as const) : [])];
}
