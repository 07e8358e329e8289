/**
 * Reads the keys of the live view, one by one and without echo. The terminal is always restored: Node itself resets it
 * when the process exits.
 */
import type { ReadStream } from 'node:tty';

/** In raw mode, Ctrl-C is an ordinary key. */
const CTRL_C = '\u0003';

export interface Keyboard {
  close(): void;
}

/**
 * null if there is no terminal. Only for a command in the foreground: others are stopped when they access the terminal.
 */
export function openKeyboard(input: ReadStream, pressed: (key: string) => void): Keyboard | null {
  if (!input.isTTY) return null;
  const read = (typed: Buffer): void => {
    const text = typed.toString();
    // As the terminal would do: code that handles the interruption does not depend on the keyboard.
    if (text.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
    // Several characters together are pasted text, or the code of a special key.
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
