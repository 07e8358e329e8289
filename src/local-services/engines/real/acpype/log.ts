/** Makes ACPYPE's output readable for users, and extracts its failure message. Pure. */

/** Python's stack trace in ACPYPE's source; the line above has the message. */
const TRACEBACK =
  /^(?:\nDuring handling of the above exception, another exception occurred:\n\n)?Traceback \(most recent call last\):\n(?: .*\n)+(?:\S.*\n)?/gm;
const TEMPORARY_LOG = /^Log tmp location: .*\n?/gm;

/**
 * Hides the paths of this machine.
 * @param folder the job's, shown as `.`
 * @param engine ACPYPE's, shown as `$ACPYPE`
 */
export function readableLog(output: string, folder: string, engine: string): string {
  return output
    .replaceAll(folder, '.')
    .replaceAll(engine, '$ACPYPE')
    .replaceAll(TRACEBACK, '')
    .replaceAll(TEMPORARY_LOG, '');
}

/** `ACPYPE FAILED: …`, possibly followed by nothing; null if there is no such line. */
export function failureIn(log: string): string | null {
  return /^(?:ERROR: )?(ACPYPE FAILED: ?.*)$/m.exec(log)?.[1]?.trim() ?? null;
}
