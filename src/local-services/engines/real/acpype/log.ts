/** What ACPYPE printed, as whoever submitted the job may read it, and its own word for a failure. Pure. */

/** Python's account of where in ACPYPE's source it failed; the line above says what failed. */
const TRACEBACK =
  /^(?:\nDuring handling of the above exception, another exception occurred:\n\n)?Traceback \(most recent call last\):\n(?: .*\n)+(?:\S.*\n)?/gm;
const TEMPORARY_LOG = /^Log tmp location: .*\n?/gm;

/**
 * Where things lie on this machine is nobody's business.
 * @param folder the job's, called `.`
 * @param engine ACPYPE's, called `$ACPYPE`
 */
export function readableLog(output: string, folder: string, engine: string): string {
  return output
    .replaceAll(folder, '.')
    .replaceAll(engine, '$ACPYPE')
    .replaceAll(TRACEBACK, '')
    .replaceAll(TEMPORARY_LOG, '');
}

/** `ACPYPE FAILED: …`, after which it may say nothing; null when it did not get so far. */
export function failureIn(log: string): string | null {
  return /^(?:ERROR: )?(ACPYPE FAILED: ?.*)$/m.exec(log)?.[1]?.trim() ?? null;
}
