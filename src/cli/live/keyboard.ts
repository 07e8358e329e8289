/**
 * The keys of the live view, one by one and without an echo. The terminal is left as it was found, whatever happens:
 * Node itself puts it back when the process ends.
 */
import type { ReadStream } from 'node:tty';

/** Without the terminal's own handling this is a key like others. */
const CTRL_C = '\u0003';

export interface Keyboard {
  close(): void;
}

/** null where nobody types. For a command in the foreground of its terminal: others are stopped for touching it. */
export function openKeyboard(input: ReadStream, pressed: (key: string) => void): Keyboard | null {
  if (!input.isTTY) return null;
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
