/** Whether we own the terminal: a command in the background must neither draw on it nor read keys. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function inForeground(): boolean {
  const [group, foreground] = processGroups();
  return group === foreground;
}

/** Our process group, and the foreground group of our terminal. */
function processGroups(): readonly (string | undefined)[] {
  if (process.platform === 'linux') {
    // After the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [group, foreground];
  }
  const command = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  return execFileSync('ps', command, { encoding: 'utf8' }).trim().split(/\s+/);
}
