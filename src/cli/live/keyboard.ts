/**
 * The keys of the live view, one by one and without an echo. The terminal is left as it was found, whatever happens:
 * Node itself puts it back when the process ends.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

/** Without the terminal's own handling this is a key like others. */
const CTRL_C = '\u0003';

export interface Keyboard {
  close(): void;
}

/** null where nobody types: no terminal, or the command runs in the background of one. */
export function openKeyboard(input: ReadStream, pressed: (key: string) => void): Keyboard | null {
  if (!input.isTTY || !inForeground()) return null;
  const read = (typed: Buffer): void => {
    const text = typed.toString();
    // As if the terminal had said it: whoever asks for the end of this command need not know of the keyboard.
    if (text.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
    // More at once is pasted, or the code of a special key.
    else if (text.length === 1) pressed(text.toLowerCase());
  };
  input.setRawMode(true);
  input.on('data', read);
  input.resume();
  return {
    close() {
      input.off('data', read);
      input.setRawMode(false);
      input.pause();
    },
  };
}

/** Who is in the background of a terminal is stopped by it as soon as he touches its settings. */
function inForeground(): boolean {
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
