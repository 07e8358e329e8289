/**
 * Opens an address in the user's browser, if there is one.
 *
 * Rejected: a package for one call of `spawn`.
 */
import { spawn } from 'node:child_process';

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
