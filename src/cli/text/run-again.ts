/** The exact command after a line that says to run it again: at seven in the morning nobody knows which one that was. */
import { findRunCommand } from '../../runner/remembered.ts';

let command: string | null = null;

/** Of the campaign that this command is about. */
export async function setRunCommand(name: string, folder?: string): Promise<void> {
  command = await findRunCommand(name, folder);
}

const SAYS_AGAIN = /"hundredfold run"( command|.* again)/;

/** Null if the line says nothing of that, or the command is not known. */
export function commandAfter(line: string): string | null {
  return command !== null && SAYS_AGAIN.test(line) ? `  That command: ${command}` : null;
}
