/** What the file system says, in its own words. */

/** `ENOENT`, `EACCES`, …; null for anything else. A path with a NUL in it exists nowhere. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return null;
  if (error.code === 'ERR_INVALID_ARG_VALUE') return 'ENOENT';
  return 'syscall' in error ? error.code : null;
}
