/** Whether the terminal is ours: a command that was sent to its background must neither draw over it nor ask for keys. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function inForeground(): boolean {
  const [group, foreground] = processGroups();
  return group === foreground;
}

/** Our process group, and the one in the foreground of our terminal. */
function processGroups(): readonly (string | undefined)[] {
  if (process.platform === 'linux') {
    // Behind the name, which may hold anything: state, parent, group, session, terminal, foreground group.
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [group, foreground];
  }
  const command = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  return execFileSync('ps', command, { encoding: 'utf8' }).trim().split(/\s+/);
}
