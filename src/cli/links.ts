/** Pages of the Temporal UI, and how a link is opened in the user’s browser, if there is one. Rejected: a package for one call of `spawn`. */
import { spawn } from 'node:child_process';
import { buildCampaignWorkflowId, ATTRIBUTES } from '../workflows/names.ts';

/** All workflows of a campaign: one line per item. */
export function buildUiLink(ui: string, campaign: string): string {
  const query = encodeURIComponent(`${ATTRIBUTES.campaign.name}="${campaign}"`);
  return `${ui}/namespaces/default/workflows?query=${query}`;
}

/** All workflows. */
export function buildWorkflowsLink(ui: string): string {
  return `${ui}/namespaces/default/workflows`;
}

/** The campaign's own workflow. */
export function buildCampaignLink(ui: string, campaign: string): string {
  return `${ui}/namespaces/default/workflows/${buildCampaignWorkflowId(campaign)}`;
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  linux: 'xdg-open',
};

/**
 * `BROWSER` names another program, as for xdg-open.
 *
 * @returns whether a program accepted the link; it is printed in any case
 */
export function openLink(link: string): Promise<boolean> {
  const environment = process.env;
  const opener = environment['BROWSER'] ?? OPENERS[process.platform];
  // Over ssh, in a container, or in a cluster job there is no screen.
  const hasScreen =
    process.platform === 'darwin' || 'DISPLAY' in environment || 'WAYLAND_DISPLAY' in environment;
  if (opener === undefined || opener === '' || (!hasScreen && environment['BROWSER'] === undefined))
    return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(opener, [link], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
